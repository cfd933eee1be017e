"""SmolLM2-135M in JAX: the frozen base, an adapter beside each matrix, many answers after one head."""

from typing import Any

import jax
import jax.numpy as jnp

from training.gguf_file import HEAD, HEADS, LAYERS, MODULES, SHARED_HEADS, WIDTH, Tree

_THETA, _EPSILON = 100_000.0, 1e-5


def forward(base: Tree, adapter: Tree | None, scale: float, tokens: Any, places: Any, groups: Any) -> Any:
    """What the last layer says at each token.

    places  where each token stands in its own text
    groups  0 for the head, which everybody sees; another number for each text after it, which sees the
            head and itself; -1 for nothing
    """
    batch, length = tokens.shape
    sees = jnp.tril(jnp.ones((length, length), bool))
    sees &= (groups[:, None, :] == 0) | (groups[:, None, :] == groups[:, :, None])

    def linear(x: Any, layer: Tree, added: Tree | None, module: str) -> Any:
        y = x @ layer[module]
        return y if added is None else y + scale * ((x @ added[module]["a"]) @ added[module]["b"])

    @jax.checkpoint
    def attend(q: Any, k: Any, v: Any) -> Any:
        scores = jnp.einsum("bthd,bshd->bhts", q, k) / HEAD**0.5
        weights = jax.nn.softmax(jnp.where(sees[:, None], scores, -1e9), -1)
        return jnp.einsum("bhts,bshd->bthd", weights, v).reshape(batch, length, WIDTH)

    def block(x: Any, layer_and_added: tuple[Tree, Tree | None]) -> tuple[Any, None]:
        layer, added = layer_and_added
        h = _normed(x, layer["attn_norm"])
        q = _turned(linear(h, layer, added, "attn_q").reshape(batch, length, HEADS, HEAD), places)
        k = _turned(linear(h, layer, added, "attn_k").reshape(batch, length, SHARED_HEADS, HEAD), places)
        v = linear(h, layer, added, "attn_v").reshape(batch, length, SHARED_HEADS, HEAD)
        k, v = (jnp.repeat(each, HEADS // SHARED_HEADS, 2) for each in (k, v))
        x = x + linear(attend(q, k, v), layer, added, "attn_output")
        h = _normed(x, layer["ffn_norm"])
        inner = jax.nn.silu(linear(h, layer, added, "ffn_gate")) * linear(h, layer, added, "ffn_up")
        return x + linear(inner, layer, added, "ffn_down"), None

    x, _ = jax.lax.scan(block, base["embedding"][tokens], (base["layers"], adapter))
    return _normed(x, base["norm"])


def _normed(x: Any, weight: Any) -> Any:
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + _EPSILON) * weight


def _turned(x: Any, places: Any) -> Any:
    """Rotary places over neighbouring pairs, the way GGUF stores these weights."""
    angles = places[:, :, None, None] * _THETA ** (-jnp.arange(0, HEAD, 2) / HEAD)
    cos, sin = jnp.cos(angles), jnp.sin(angles)
    even, odd = x[..., 0::2], x[..., 1::2]
    return jnp.stack([even * cos - odd * sin, even * sin + odd * cos], -1).reshape(x.shape)


def new_adapter(rank: int, seed: int = 0) -> Tree:
    """One that changes nothing yet."""
    keys = dict(zip(MODULES, jax.random.split(jax.random.PRNGKey(seed), len(MODULES)), strict=True))
    return {
        module: {
            "a": jax.random.normal(keys[module], (LAYERS, size_in, rank)) / size_in**0.5,
            "b": jnp.zeros((LAYERS, rank, size_out)),
        }
        for module, (size_in, size_out) in MODULES.items()
    }
