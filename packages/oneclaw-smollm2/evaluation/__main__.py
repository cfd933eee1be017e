"""Judges the tiny model by everyday conversations and prints a table: `make evaluate`."""

import argparse
import asyncio
import shutil
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from evaluation.judge import GRADES, Turn, grade, read_turn, worst
from evaluation.trial import Told, Trial, open_model, open_trial
from oneclaw.permissions import Question

HERE = Path(__file__).parent
PAGE = HERE.parents[2] / "docs" / "embedded-model.md"
BEGIN, END = "<!-- Written by `make evaluate ARGS=--write`. -->", "<!-- The end of what it writes. -->"
SETS = ("open", "second", "kept")
SETTINGS = {"permissions.needs.network": "denied"}
"""No request leaves the machine: that a page was asked for is what counts."""

Case = tuple[Turn, ...]


def read_cases(name: str) -> dict[str, list[Case]]:
    """The conversations of a set, by topic."""
    with (HERE / f"{name}.toml").open("rb") as file:
        topics = tomllib.load(file)
    return {topic: [tuple(map(read_turn, case)) for case in cases] for topic, cases in topics.items()}


def read_files() -> dict[str, str]:
    return tomllib.loads((HERE / "workspace.toml").read_text(encoding="utf-8"))


async def judge_case(trial: Trial, case: Case, files: Mapping[str, str]) -> tuple[str, list[Told]]:
    """The grade of a conversation: that of its first turn that is not helpful."""
    lay_out(trial.folder, files)
    session = trial.app.new_session()
    grades, heard = list[str](), list[Told]()
    for turn in case:
        before = held(trial.folder)
        said = turn.say if not turn.say.startswith("long:") else "word " * (int(turn.say[5:]) // 5)
        heard.append(await trial.say(said, session))
        grades.append(grade(turn, heard[-1], before, held(trial.folder)))
        if grades[-1] != "helpful":
            break
    return worst(grades), heard


def lay_out(folder: Path, files: Mapping[str, str]) -> None:
    """Empty the workspace and put the files there."""
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def held(folder: Path) -> dict[str, str]:
    """What the files of the workspace hold, by path; hidden ones are the program's own."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    texts = {str(path.relative_to(folder)): path.read_text("utf-8", "replace") for path in paths}
    return {name: text for name, text in texts.items() if not name.startswith(".")}


def always_yes(trial: Trial) -> None:
    """Have a person there who says yes to everything."""
    broker = trial.app.broker

    def say_yes(question: Question) -> None:
        broker.answer(question.id, "once")

    broker.bind(say_yes)


async def evaluate(name: str, *, is_told: bool) -> dict[str, Counter[str]]:
    """The grades of a set, by topic. `is_told`: print every conversation that was not helpful."""
    files, found = read_files(), dict[str, Counter[str]]()
    with tempfile.TemporaryDirectory() as folder:
        async with open_model(Path(folder)) as model:
            for topic, cases in read_cases(name).items():
                found[topic] = Counter()
                for number, case in enumerate(cases):
                    async with open_trial(Path(folder) / f"{topic}-{number}", model, **SETTINGS) as trial:
                        always_yes(trial)
                        given, heard = await judge_case(trial, case, files)
                    found[topic][given] += 1
                    if is_told and given != "helpful":
                        tell(topic, given, case, heard)
    return found


def tell(topic: str, given: str, case: Case, heard: Sequence[Told]) -> None:
    print(f"\n{given.upper()} ({topic})")
    for turn, told in zip(case, heard, strict=False):
        calls = "".join(f" [{name} {arguments}]" for name, arguments in told.calls)
        print(f"  > {turn.say}\n   {calls} {(told.text or told.error).strip()[:300]!r}", flush=True)


def draw(name: str, found: Mapping[str, Counter[str]]) -> str:
    """A table of grades in Markdown, with the sum and the shares last."""
    total = sum(found.values(), Counter[str]())
    rows = {**found, f"all of {name}": total}
    lines = [f"| {name} | conversations | {' | '.join(GRADES)} |", "|---|" + "---:|" * (len(GRADES) + 1)]
    lines += [
        f"| {topic} | {counts.total()} | {' | '.join(str(counts[each]) for each in GRADES)} |"
        for topic, counts in rows.items()
    ]
    shares = " | ".join(f"{total[each] / max(total.total(), 1):.1%}" for each in GRADES)
    return "\n".join([*lines, f"| share | | {shares} |"])


def summarize(found: Mapping[str, Mapping[str, Counter[str]]]) -> str:
    """One row for each set and one for all, in Markdown."""
    totals = {f"`{name}.toml`": sum(grades.values(), Counter[str]()) for name, grades in found.items()}
    totals["**all**"] = sum(totals.values(), Counter[str]())
    lines = [f"| set | conversations | {' | '.join(GRADES)} |", "|---|" + "---:|" * (len(GRADES) + 1)]
    for name, counts in totals.items():
        shares = (f"{counts[each]} ({counts[each] / max(counts.total(), 1):.1%})" for each in GRADES)
        lines.append(f"| {name} | {counts.total()} | {' | '.join(shares)} |")
    return "\n".join(lines)


def write_page(text: str) -> None:
    """Put the figures into the page of the tiny model, between their marks."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(prog="evaluation", description=__doc__)
    parser.add_argument("sets", nargs="*", help=f"of {', '.join(SETS)}; all where none is named")
    parser.add_argument("--tell", action="store_true", help="print every conversation that was not helpful")
    parser.add_argument(
        "--write", action="store_true", help="put the figures of all sets into the page of docs"
    )
    arguments = parser.parse_args()
    if arguments.write and arguments.sets:
        parser.error("--write takes all sets; leave out their names")
    found = {name: asyncio.run(evaluate(name, is_told=arguments.tell)) for name in arguments.sets or SETS}
    for name, grades in found.items():
        print(f"\n{draw(name, grades)}")
    if arguments.write:
        write_page(summarize(found))
    every = [counts for grades in found.values() for counts in grades.values()]
    return 1 if any(counts["harmful"] or counts["invented"] for counts in every) else 0


if __name__ == "__main__":
    sys.exit(main())
