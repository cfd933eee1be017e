"""Measure an adapter on the messages kept back: `python -m training.evaluate --base BASE.gguf ADAPTER.gguf`.

Right tool: the tool is the right one. All right: so is every argument. Greedy, one call a message.
"""

import argparse
import json
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from oneclaw.core.tool import ToolDefinition
from oneclaw_smollm2.grammar import call_grammar
from oneclaw_smollm2.message import read_message
from oneclaw_smollm2.prompt import read_answer, read_question, write_prompt
from oneclaw_smollm2.verbs import tools_for
from training.heldout import Case, cases

SETS = ("plain", "harder", "unseen", "talk", "fresh", "fresh_unseen")
MOST_TOKENS = 120


class Model:
    """The base with an adapter, through llama.cpp as in the product."""

    def __init__(self, base: Path, adapter: Path | None, threads: int = 1) -> None:
        import xllamacpp

        params = xllamacpp.CommonParams()
        params.model.path = str(base)
        params.n_ctx = 4096
        params.n_parallel = 1
        params.verbosity = -1
        params.cpuparams.n_threads = threads
        params.cpuparams_batch.n_threads = threads
        params.cpuparams.poll = params.cpuparams_batch.poll = 0
        if adapter is not None:
            params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(adapter), 1.0)]
        self._server = xllamacpp.Server(params)

    def complete(self, prompt: str, grammar: str) -> str:
        asked = {"prompt": prompt, "n_predict": MOST_TOKENS, "temperature": 0.0, "cache_prompt": True}
        answer = self._server.handle_completions({**asked, "grammar": grammar})
        read: Any = json.loads(answer) if isinstance(answer, str | bytes) else answer
        return str(read["choices"][0]["text"])


def _bare(value: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"[^\w\s./:@?=&+*<>(){}\[\]#%^-]", "", str(value).casefold())).strip(
        " ."
    )


def is_right(
    case: Case, definitions: Sequence[ToolDefinition], answer: tuple[str, dict[str, Any]] | None
) -> bool:
    """Whether the call is the one wanted; an argument nobody asked for is wrong unless it is the default."""
    if answer is None or case.tool != answer[0]:
        return answer is None and case.tool is None
    schema = next(each.parameters for each in definitions if each.name == case.tool)
    for name in {*case.arguments, *answer[1]}:
        default = schema["properties"][name].get("default")
        given = answer[1].get(name, default)
        wanted = case.arguments.get(name, default)
        choices = wanted if isinstance(wanted, list) else [wanted]
        if _bare(given) not in {_bare(each) for each in choices}:
            return False
    return True


def measure(model: Model, name: str, is_told: bool) -> Mapping[str, float]:
    definitions, rows = cases(name)
    tools = right = 0
    began = time.time()
    for case in rows:
        text = model.complete(
            write_prompt(definitions, case.message),
            call_grammar(tools_for(read_message(case.message), definitions), case.message),
        )
        answer = read_answer(text)
        is_talk = read_question(text) is None
        is_tool = (answer[0] if answer else None) == case.tool and (answer is not None or is_talk)
        is_all = is_tool and is_right(case, definitions, answer)
        tools += is_tool
        right += is_all
        if is_told and not is_all:
            print(f"  {'arguments' if is_tool else 'tool     '}  {case.message}  →  {text.strip()}")
    count = len(rows)
    return {
        "messages": count,
        "tool": 100 * tools / count,
        "all": 100 * right / count,
        "seconds": (time.time() - began) / count,
    }


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("adapters", type=Path, nargs="+")
    options.add_argument("--base", type=Path, required=True)
    options.add_argument("--sets", default=",".join(SETS))
    options.add_argument("--errors", action="store_true", help="show what went wrong")
    options.add_argument("--threads", type=int, default=1)
    chosen = options.parse_args()
    for adapter in chosen.adapters:
        model = Model(chosen.base, adapter, chosen.threads)
        for name in chosen.sets.split(","):
            found = measure(model, name, chosen.errors)
            print(
                f"{adapter.name:24} {name:12} {found['messages']:3.0f} messages"
                f"  right tool {found['tool']:5.1f} %  all right {found['all']:5.1f} %  {found['seconds']:.2f} s each",
                flush=True,
            )


if __name__ == "__main__":
    main()
