"""The grammar in llama.cpp's own engine: it is read, and what comes out is a valid call or talk."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from oneclaw.core.check.schema import CompiledSchema
from oneclaw.core.tool import ToolDefinition
from oneclaw.tools.builtin import load
from oneclaw_smollm2.grammar import call_grammar
from oneclaw_smollm2.prompt import read_answer, read_question, write_prompt

TOOLS = [
    load(name).definition
    for name in ("get_current_time", "read_file", "write_file", "find_files", "http_request", "memory_store")
]
ODD = ToolDefinition(
    name="odd",
    description="Take odd things",
    parameters={
        "type": "object",
        "properties": {
            "names": {"type": "array", "items": {"type": "string"}},
            "amount": {"type": "number"},
            "is_it": {"type": "boolean"},
            "code": {"type": "string", "pattern": "^[A-Z]+$"},
        },
        "required": ["names", "amount", "is_it"],
    },
)
MESSAGES = (
    "Save 'don't panic' to todo.txt",
    'Add {"a": "b\\n"} to x.json, and 3 more',
    "Größe “zwölf” 12.5 \\ / \t ABC é 日本語 to a/b.md",
    "fetch https://a.dev/x?y=[1]&z={2} with POST",
    "",
    "?!",
    "find all PDFs in docs on March 3rd at 7 pm in New York",
)


@pytest.fixture(scope="module")
def server(weights: Path) -> Any:
    xllamacpp: Any = import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx = 2048
    params.n_parallel = 1
    params.verbosity = -1
    for threads in (params.cpuparams, params.cpuparams_batch):
        threads.n_threads = 1
        threads.poll = 0  # on a busy machine, waiting in circles makes it many times slower
    params.fit_params = params.warmup = False
    return xllamacpp.Server(params)


@pytest.mark.slow
@pytest.mark.parametrize("message", MESSAGES)
def test_the_engine_writes_valid_calls_however_wild_the_model_is(server: Any, message: str) -> None:
    tools = [*TOOLS, ODD]
    schemas = {each.name: CompiledSchema(each.parameters) for each in tools}
    for seed in range(3):
        request = {
            "prompt": write_prompt(tools, message),
            "grammar": call_grammar(tools, message),
            "temperature": 3.0,
            "seed": seed,
            "n_predict": 400,
        }
        answer = server.handle_completions(request)
        read = json.loads(answer) if isinstance(answer, str | bytes) else answer
        text = read["choices"][0]["text"]
        call = read_answer(text)
        if call is None:
            assert text == ">chat" or read_question(text), text
        else:
            assert schemas[call[0]].is_valid(call[1]), text


@pytest.mark.slow
def test_without_the_grammar_the_same_model_writes_no_call(server: Any) -> None:
    answer = server.handle_completions(
        {"prompt": write_prompt(TOOLS, MESSAGES[0]), "n_predict": 40, "seed": 1}
    )
    read = json.loads(answer) if isinstance(answer, str | bytes) else answer
    assert read_answer(read["choices"][0]["text"]) is None
