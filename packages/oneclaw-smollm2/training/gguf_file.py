"""GGUF files: the base model's weights and vocabulary in, the adapter in and out."""

from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf.quants import dequantize

LAYERS, WIDTH, HEADS, SHARED_HEADS, HEAD, INNER = 30, 576, 9, 3, 64, 1536
"""The sizes of SmolLM2-135M."""

MODULES = {
    "attn_q": (WIDTH, WIDTH),
    "attn_k": (WIDTH, SHARED_HEADS * HEAD),
    "attn_v": (WIDTH, SHARED_HEADS * HEAD),
    "attn_output": (WIDTH, WIDTH),
    "ffn_gate": (WIDTH, INNER),
    "ffn_up": (WIDTH, INNER),
    "ffn_down": (INNER, WIDTH),
}
"""The matrices an adapter changes, with what goes in and out of each."""

Tree = dict[str, Any]


def read_base(path: Path) -> Tree:
    """The weights as float32, one array for all layers."""
    tensors = {each.name: _dense(each) for each in gguf.GGUFReader(path).tensors}
    layers: Tree = {
        module: np.stack([tensors[f"blk.{at}.{module}.weight"].T for at in range(LAYERS)])
        for module in MODULES
    }
    for norm in ("attn_norm", "ffn_norm"):
        layers[norm] = np.stack([tensors[f"blk.{at}.{norm}.weight"] for at in range(LAYERS)])
    embedding = tensors["token_embd.weight"]
    return {
        "embedding": embedding,
        "output": tensors.get("output.weight", embedding),
        "norm": tensors["output_norm.weight"],
        "layers": layers,
    }


def _dense(tensor: Any) -> np.ndarray:
    shape = [int(size) for size in reversed(tensor.shape)]
    return dequantize(tensor.data, tensor.tensor_type).reshape(shape).astype(np.float32)


def read_adapter(path: Path) -> Tree:
    tensors = {each.name: _dense(each) for each in gguf.GGUFReader(path).tensors}

    def stacked(module: str, part: str) -> np.ndarray:
        return np.stack([tensors[f"blk.{at}.{module}.weight.lora_{part}"].T for at in range(LAYERS)])

    return {module: {"a": stacked(module, "a"), "b": stacked(module, "b")} for module in MODULES}


def write_adapter(adapter: Tree, alpha: float, path: Path) -> None:
    """As float16, whole or not at all: somebody may be reading the last one."""
    part = path.with_suffix(".part")
    writer = gguf.GGUFWriter(part, "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", alpha)
    writer.add_string("general.name", "oneclaw tools")
    for module in MODULES:
        for at in range(LAYERS):
            for which in ("a", "b"):
                matrix = np.ascontiguousarray(np.asarray(adapter[module][which][at]).T.astype(np.float16))
                writer.add_tensor(f"blk.{at}.{module}.weight.lora_{which}", matrix)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    part.replace(path)


def read_tokenizer(path: Path) -> Any:
    """The model's own tokenizer, out of the same file."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    fields = gguf.GGUFReader(path).fields

    def texts(name: str) -> list[str]:
        return [bytes(fields[name].parts[at]).decode() for at in fields[name].data]

    tokens = texts("tokenizer.ggml.tokens")
    merges = [tuple(each.split(" ", 1)) for each in texts("tokenizer.ggml.merges")]
    kinds = fields["tokenizer.ggml.token_type"]
    made = Tokenizer(models.BPE(vocab={token: at for at, token in enumerate(tokens)}, merges=merges))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    made.decoder = decoders.ByteLevel()
    special = [token for token, at in zip(tokens, kinds.data, strict=True) if int(kinds.parts[at][0]) == 3]
    made.add_special_tokens([AddedToken(each, special=True, normalized=False) for each in special])
    return made
