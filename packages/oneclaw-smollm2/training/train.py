"""Train the adapter: `python -m training.train --base BASE.gguf --data data.jsonl --out OUT.gguf`.

Goes on where OUT.gguf's state was left; begins with the adapter of `--start`, or a new one.
"""

import argparse
import json
import pickle
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from training.gguf_file import Tree, read_adapter, read_base, read_tokenizer, write_adapter
from training.model import forward, new_adapter

RANK, ALPHA = 16, 32.0
SCALE = ALPHA / RANK
STEADY = 0.95
"""What is kept is the average of about the last 20 steps: a step sees one list of tools, and sways."""
END = 2
"""The token that ends an answer."""


@dataclass(frozen=True, slots=True)
class Pack:
    """One step: a head with as many messages as fit, and what is to be said at which token."""

    tokens: Any
    places: Any
    groups: Any
    at: Any
    said: Any
    weight: Any


def packs(rows: list[dict[str, Any]], tokenizer: Any, length: int, answers: int, seed: int) -> Iterator[Pack]:
    chance = random.Random(seed)
    while True:
        chance.shuffle(rows)
        for row in rows:
            pack = _pack(row, tokenizer, length, answers)
            if pack is not None:
                yield pack


def _pack(row: dict[str, Any], tokenizer: Any, length: int, answers: int) -> Pack | None:
    head = tokenizer.encode(row["head"]).ids
    tokens, places, groups = list(head), list(range(len(head))), [0] * len(head)
    at: list[int] = []
    said: list[int] = []
    for group, (message, answer) in enumerate(row["pairs"], 1):
        asked = tokenizer.encode(f"{message}<|im_end|>\n<|im_start|>assistant\n").ids
        told = [*tokenizer.encode(answer).ids, END]
        text = asked + told[:-1]
        if len(tokens) + len(text) > length or len(at) + len(told) > answers:
            continue
        first = len(tokens) + len(asked) - 1
        at += range(first, first + len(told))
        said += told
        places += range(len(head), len(head) + len(text))
        groups += [group] * len(text)
        tokens += text
    if not said:
        return None
    spare, unsaid = length - len(tokens), answers - len(said)
    return Pack(
        tokens=np.array([tokens + [0] * spare], np.int32),
        places=np.array([places + [0] * spare], np.float32),
        groups=np.array([groups + [-1] * spare], np.int32),
        at=np.array([at + [0] * unsaid], np.int32),
        said=np.array([said + [0] * unsaid], np.int32),
        weight=np.array([[1.0] * len(said) + [0.0] * unsaid], np.float32),
    )


def _loss(adapter: Tree, base: Tree, pack: tuple[Any, ...]) -> tuple[Any, Any]:
    tokens, places, groups, at, said, weight = pack
    hidden = forward(base, adapter, SCALE, tokens, places, groups)
    chosen = jnp.take_along_axis(hidden, at[:, :, None], 1) @ base["output"].T
    losses = -jnp.take_along_axis(jax.nn.log_softmax(chosen, -1), said[:, :, None], 2)[..., 0]
    right = (chosen.argmax(-1) == said) * weight
    return (losses * weight).sum() / weight.sum(), right.sum() / weight.sum()


@jax.jit
def _step(
    adapter: Tree, mean: Tree, square: Tree, count: Any, rate: Any, base: Tree, pack: tuple[Any, ...]
) -> Any:
    """Adam with clipped gradients."""
    (loss, right), slope = jax.value_and_grad(_loss, has_aux=True)(adapter, base, pack)
    size = jnp.sqrt(sum((each * each).sum() for each in jax.tree.leaves(slope)))
    slope = jax.tree.map(lambda each: each * jnp.minimum(1.0, 1.0 / (size + 1e-6)), slope)
    mean = jax.tree.map(lambda old, new: 0.9 * old + 0.1 * new, mean, slope)
    square = jax.tree.map(lambda old, new: 0.98 * old + 0.02 * new * new, square, slope)

    def moved(weight: Any, m: Any, s: Any) -> Any:
        return weight - rate * (m / (1 - 0.9**count)) / (jnp.sqrt(s / (1 - 0.98**count)) + 1e-8)

    return jax.tree.map(moved, adapter, mean, square), mean, square, loss, right


def train(chosen: argparse.Namespace) -> None:
    tokenizer, base = read_tokenizer(chosen.base), jax.tree.map(jnp.asarray, read_base(chosen.base))
    rows = [json.loads(line) for line in chosen.data.read_text().splitlines()]
    kept = chosen.out.with_suffix(".state")
    if kept.exists():
        done, adapter, mean, square, steady = pickle.loads(kept.read_bytes())
    else:
        done, adapter = 0, read_adapter(chosen.start) if chosen.start else new_adapter(RANK)
        mean = square = jax.tree.map(jnp.zeros_like, adapter)
        steady = adapter
    began, smooth = time.time(), None
    for step, pack in enumerate(
        packs(rows, tokenizer, chosen.length, chosen.answers, chosen.seed + done), done + 1
    ):
        share = (
            (time.time() - began) / chosen.seconds
            if chosen.seconds
            else (step - done) / (chosen.steps - done)
        )
        fall = 0.5 * (1 + np.cos(np.pi * min(1.0, share)))
        rate = chosen.rate * min(1.0, step / chosen.warm) * (0.05 + 0.95 * fall)
        fields = (pack.tokens, pack.places, pack.groups, pack.at, pack.said, pack.weight)
        adapter, mean, square, loss, right = _step(adapter, mean, square, float(step), rate, base, fields)
        steady = jax.tree.map(lambda old, new: STEADY * old + (1 - STEADY) * new, steady, adapter)
        smooth = float(loss) if smooth is None else 0.95 * smooth + 0.05 * float(loss)
        if step % 10 == 0 or step - done < 4:
            used = int((pack.groups >= 0).sum())
            print(
                f"step {step} loss {float(loss):.3f} smooth {smooth:.3f} right {float(right):.3f}"
                f" tokens {used} seconds {time.time() - began:.0f}",
                flush=True,
            )
        is_last = share >= 1 or step == chosen.steps
        if step % chosen.every == 0 or is_last:
            write_adapter(steady, ALPHA, chosen.out)
            write_adapter(steady, ALPHA, chosen.out.with_name(f"{chosen.out.stem}-{step}.gguf"))
            kept.write_bytes(pickle.dumps((step, *jax.tree.map(np.asarray, (adapter, mean, square, steady)))))
        if is_last:
            break


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--base", type=Path, required=True, help="SmolLM2-135M-Instruct.Q4_1.gguf")
    options.add_argument("--data", type=Path, default=Path("build/training/data.jsonl"))
    options.add_argument("--out", type=Path, default=Path("build/training/tools-lora.gguf"))
    options.add_argument("--start", type=Path, help="an adapter to begin with")
    options.add_argument("--steps", type=int, default=400)
    options.add_argument("--seconds", type=float, help="end by the clock: the rate falls with the time left")
    options.add_argument("--rate", type=float, default=3e-4)
    options.add_argument("--warm", type=int, default=20, help="steps until the full rate")
    options.add_argument("--length", type=int, default=1024, help="tokens of one step")
    options.add_argument("--answers", type=int, default=400, help="tokens of the answers of one step")
    options.add_argument("--every", type=int, default=50, help="steps between two checkpoints")
    options.add_argument("--seed", type=int, default=1)
    train(options.parse_args())


if __name__ == "__main__":
    main()
