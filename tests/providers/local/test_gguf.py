"""Headers of model files: what is read of them, and what is refused in one sentence."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.providers.local.gguf_files import small_gguf

from oneclaw.providers.local.gguf import InvalidModel, read_header

FIELDS: dict[str, str | int] = {
    "general.architecture": "llama",
    "general.name": "Tiny",
    "llama.context_length": 4096,
    "llama.block_count": 4,
    "llama.embedding_length": 64,
    "llama.attention.head_count": 8,
    "llama.attention.head_count_kv": 2,
    "tokenizer.chat_template": "{% if tools %}x{% endif %}",
}


def refused(file: Path) -> str:
    with pytest.raises(InvalidModel) as caught:
        read_header(file)
    text = str(caught.value)
    assert str(file) in text
    assert "\n" not in text
    return text


def test_a_header_tells_name_window_template_and_memory(tmp_path: Path) -> None:
    file = tmp_path / "a.gguf"
    file.write_bytes(small_gguf(FIELDS, tensor_values=10))
    header = read_header(file)
    assert (header.name, header.architecture, header.window) == ("Tiny", "llama", 4096)
    assert header.takes_tools
    assert header.token_bytes == 2 * 4 * 2 * (8 + 8)


def test_a_file_cut_off_anywhere_is_refused_and_never_read_beyond(tmp_path: Path) -> None:
    whole = small_gguf(FIELDS, tensor_values=10)
    file = tmp_path / "a.gguf"
    for size in range(len(whole)):
        file.write_bytes(whole[:size])
        assert "get it again" in refused(file) or "no GGUF file" in refused(file)


@given(st.binary(max_size=300))
def test_noise_is_refused_and_not_believed(noise: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "noise.gguf"
        for data in (noise, b"GGUF" + noise, b"GGUF\3\0\0\0" + noise):
            file.write_bytes(data)
            try:
                read_header(file)
            except InvalidModel:
                continue
            raise AssertionError("noise was taken for a model")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({**FIELDS, "general.type": "adapter"}, "no language model but 'adapter'"),
        ({**FIELDS, "general.architecture": "clip"}, "no language model"),
        ({**FIELDS, "split.count": 3}, "one part of several"),
    ],
)
def test_what_is_no_whole_language_model_is_named(
    tmp_path: Path, fields: dict[str, str | int], said: str
) -> None:
    file = tmp_path / "a.gguf"
    file.write_bytes(small_gguf(fields))
    assert said in refused(file)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert "cannot be read" in refused(tmp_path / "none.gguf")


def test_the_marks_of_a_model_are_those_that_are_no_text(weights: Path) -> None:
    marks = read_header(weights).marks
    assert {"<|im_start|>", "<|im_end|>", "<|endoftext|>"} <= set(marks)
    assert len(marks) < 100
