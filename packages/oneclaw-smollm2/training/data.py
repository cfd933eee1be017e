"""Make the training data: tool lists, each with messages and the right answers, as JSON lines.

    python -m training.data --out build/training/data.jsonl --lists 2000 --bfcl bfcl_eval-….whl

One row is one list of tools with about twenty messages: they share the list when they are trained on,
which makes a step four times cheaper. A row whose answer the grammar could not write is left out.
"""

import argparse
import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from oneclaw.core.tool import ToolDefinition
from oneclaw_smollm2.grammar import Fillable, fill_tools
from oneclaw_smollm2.message import read_message
from oneclaw_smollm2.prompt import CHAT, write_prompt
from training.functions import Question, read_questions
from training.heldout import every_message
from training.own import own_skills, web_search
from training.skill import Instance, Skill, choose, instantiate, say
from training.talk import talk
from training.unlike import families, single_skills

MESSAGES = 24
TALK, ABSENT, ASKING = 0.20, 0.02, 0.02

_BEFORE = "[please|can you|could you|hey,|hi,|I'd like you to|would you|now|ok,|ok now|so,|also,|next,|quick question:|yo|would you mind, ]"
_STORIES = "[I'm cleaning up my computer.|I just got home from work.|We are planning a trip.|My boss is waiting.|Sorry to bother you again.|It has been a long day.|I am in a hurry.|Almost done with this.|My internet was down all morning.|Hope you are well.]"
_AFTER = "[ please| thanks| for me| now| if you can| asap| thank you|, thanks!| when you have a moment|!|.]"
_ASKED_ALREADY = re.compile(
    r"(?:what\S*|which|who|why|how|when|where\S*|is|are|do|does|did|can|could|would|please|my|the|our|i|i'm|i'd|it"
    r"|has|have|am|any|got|hey|hi|hello|that|we|you|should|was|time|in|into)\b",
    re.IGNORECASE,
)


class Sentences:
    """Makes rows: everything that is random comes from one seed."""

    def __init__(self, seed: int, kept_back: set[str], questions: Sequence[Question]) -> None:
        self.chance = random.Random(seed)
        self.kept_back = kept_back
        self.own = own_skills()
        self.web = web_search()
        self.single = single_skills()
        self.families = families()
        self.every = [
            *self.own,
            self.web,
            *self.single,
            *(each for family in self.families for each in family),
        ]
        self.questions = list(questions)
        self.chance.shuffle(self.questions)

    def row(self) -> dict[str, Any]:
        roll = self.chance.random()
        if roll < 0.03 and self.questions:
            return self._question_row()
        if roll < 0.60:
            return self._row(self._own_list(), own=True)
        return self._row(self._mixed_list(), own=False)

    def _own_list(self) -> list[Instance]:
        """Our tools as they are, whole or in part, often with a few others beside them."""
        chance = self.chance
        skills = list(self.own)
        if chance.random() < 0.3:
            skills = chance.sample(skills, chance.randint(5, 9))
        if chance.random() < 0.25:
            skills += chance.sample([self.web, *self.single], chance.randint(1, 2))
        if chance.random() < 0.5:
            chance.shuffle(skills)
        varied = chance.random() < 0.15
        return self._instances(skills, varied)

    def _mixed_list(self) -> list[Instance]:
        """Ours under other names, unlike tools, and families in which one has to look twice."""
        chance = self.chance
        skills: list[Skill] = []
        roll = chance.random()
        if roll < 0.35:
            skills += chance.sample([*self.own, self.web], chance.randint(3, 7))
        if roll > 0.25:
            skills += chance.sample(self.single, chance.randint(2, 6))
        if roll > 0.55:
            skills += chance.sample(chance.choice(self.families), chance.randint(2, 4))
        chance.shuffle(skills)
        return self._instances(skills[:10], is_varied=True)

    def _instances(self, skills: Sequence[Skill], is_varied: bool) -> list[Instance]:
        made: dict[str, Instance] = {}
        for skill in skills:
            instance = instantiate(skill, self.chance, is_varied and self.chance.random() < 0.7)
            made.setdefault(instance.definition.name, instance)
        return list(made.values())

    def _row(self, instances: list[Instance], own: bool) -> dict[str, Any]:
        definitions = [each.definition for each in instances]
        pairs: list[tuple[str, str]] = []
        while len(pairs) < MESSAGES:
            roll = self.chance.random()
            if roll < TALK:
                pair = self._polish(talk(self.chance)), CHAT
            elif roll < TALK + ABSENT:
                pair = self._absent(instances)
            elif roll < TALK + ABSENT + ASKING:
                pair = self._asking(instances)
            else:
                pair = self._call(instances, definitions)
            if pair is not None and _plain(pair[0]) not in self.kept_back:
                pairs.append(pair)
        return _as_row(definitions, pairs)

    def _call(
        self, instances: list[Instance], definitions: Sequence[ToolDefinition]
    ) -> tuple[str, str] | None:
        instance = self.chance.choice(instances)
        sentence, arguments = say(instance, self.chance)
        sentence = self._polish(sentence)
        return answer_of(definitions, sentence, instance.definition.name, arguments)

    def _absent(self, instances: list[Instance]) -> tuple[str, str] | None:
        """A request that nothing in the list can serve: it is only talked about."""
        skill = self.chance.choice(self.single)
        near = {each.skill.name for each in instances}
        if skill.name in near or near & {"web_search", "http_request", "memory_search", "search_text"}:
            return None
        sentence, _ = say(instantiate(skill, self.chance, is_varied=False), self.chance)
        words = set(re.findall(r"[a-z]{4,}", skill.description.lower()))
        if any(words & set(re.findall(r"[a-z]{4,}", each.skill.description.lower())) for each in instances):
            return None
        return self._polish(sentence), CHAT

    def _asking(self, instances: list[Instance]) -> tuple[str, str] | None:
        able = [each for each in instances if each.skill.asks]
        if not able:
            return None
        instance = self.chance.choice(able)
        return self.chance.choice(instance.skill.asks), f">{instance.definition.name} ?"

    def _question_row(self) -> dict[str, Any]:
        """A few questions of others, over all their functions together."""
        pairs: list[tuple[str, str]] = []
        known: dict[str, ToolDefinition] = {}
        for question in self.chance.sample(self.questions, 12):
            fresh = [each for each in question.functions if each.name not in known]
            if len(known) + len(fresh) > 8 or len(fresh) < len(question.functions):
                continue
            known |= {each.name: each for each in fresh}
            if question.answer is None:
                pairs.append((question.text, CHAT))
            elif pair := answer_of(question.functions, question.text, *question.answer):
                pairs.append(pair)
        pairs += [(self._polish(talk(self.chance)), CHAT) for _ in range(2)]
        definitions = list(known.values())
        self.chance.shuffle(definitions)
        return _as_row(definitions, pairs)

    def _polish(self, sentence: str) -> str:
        """Manners, hurry and mistakes, as people write."""
        chance = self.chance
        if chance.random() < 0.25 and re.match("[A-Za-z]", sentence) and not _ASKED_ALREADY.match(sentence):
            sentence = f"{choose(_BEFORE, chance)} {sentence[0].lower()}{sentence[1:]}"
        if chance.random() < 0.06:
            sentence = f"{choose(_STORIES, chance)} {sentence[0].upper()}{sentence[1:]}"
        if chance.random() < 0.08 and sentence[-1] not in "?.!\"'”":
            sentence += choose("x" + _AFTER, chance)[1:]
        roll = chance.random()
        if roll < 0.15:
            sentence = sentence[0].upper() + sentence[1:]
        elif roll < 0.25:
            sentence = sentence[0].lower() + sentence[1:]
        elif roll < 0.30:
            sentence = sentence.rstrip("?.!")
        elif roll < 0.38:
            sentence = _mistype(sentence, chance)
        return sentence


_COMMON = {
    "what": "waht",
    "the": "teh",
    "please": "plz",
    "file": "fiel",
    "you": "u",
    "time": "tiem",
    "read": "raed",
    "remember": "remeber",
    "search": "serach",
    "list": "lsit",
    "show": "shwo",
    "write": "wirte",
    "save": "sav",
    "contents": "contens",
    "folder": "fodler",
    "is": "si",
    "are": "r",
    "birthday": "birthday",
    "find": "fnd",
    "to": "too",
    "what's": "wats",
    "tell": "tel",
    "that": "taht",
    "with": "wiht",
    "create": "craete",
}


def _mistype(sentence: str, chance: random.Random) -> str:
    words = sentence.split(" ")
    able = [at for at, word in enumerate(words) if word.lower() in _COMMON]
    if able:
        at = chance.choice(able)
        words[at] = _COMMON[words[at].lower()]
    return " ".join(words)


def answer_of(
    definitions: Sequence[ToolDefinition], text: str, name: str, arguments: dict[str, Any]
) -> tuple[str, str] | None:
    """The message and its answer in the order of the grammar; None if the grammar cannot write it."""
    message = read_message(text)
    mine = [each for each in definitions if each.name == name]
    tool = next(iter(fill_tools(mine, message)), None)
    if tool is None or tool.values is None:
        return None
    ordered = _ordered(tool, arguments)
    if ordered is None or not tool.accept(ordered, message):
        return None
    return text, f">{name} {json.dumps(ordered, ensure_ascii=False)}"


def _ordered(tool: Fillable, arguments: dict[str, Any]) -> dict[str, Any] | None:
    """As the grammar orders them, with the choices that the message names and the template did not know of."""
    values = tool.values or {}
    if not set(arguments) <= set(values):
        return None
    ordered: dict[str, Any] = {}
    for name, offered in values.items():
        if name in arguments:
            ordered[name] = arguments[name]
        elif name in tool.needed and offered.literals and len(offered.literals) == 1:
            ordered[name] = json.loads(offered.literals[0])
    return ordered


def _as_row(definitions: Sequence[ToolDefinition], pairs: list[tuple[str, str]]) -> dict[str, Any]:
    """The head is what comes before the message in the prompt."""
    mark = "\x00"
    head, _ = write_prompt(definitions, mark).split(mark)
    return {"head": head, "pairs": pairs}


def _plain(text: str) -> str:
    return re.sub(r"\W+", "", text.lower())


def make_rows(count: int, seed: int, kept_back: set[str], wheel: Path | None) -> Iterator[dict[str, Any]]:
    questions = list(read_questions(wheel)) if wheel else []
    sentences = Sentences(seed, kept_back, questions)
    for _ in range(count):
        yield sentences.row()


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--out", type=Path, default=Path("build/training/data.jsonl"))
    options.add_argument("--lists", type=int, default=2_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--bfcl", type=Path, help="the wheel of bfcl-eval")
    options.add_argument("--without", type=Path, help="a file of sentences to leave out, one a line")
    chosen = options.parse_args()
    kept_back = {_plain(each) for each in every_message()}
    if chosen.without:
        kept_back |= {_plain(line) for line in chosen.without.read_text().splitlines() if line.strip()}
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    pairs = 0
    with chosen.out.open("w") as file:
        for row in make_rows(chosen.lists, chosen.seed, kept_back, chosen.bfcl):
            pairs += len(row["pairs"])
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(f"{chosen.lists} lists with {pairs} messages in {chosen.out}")


if __name__ == "__main__":
    main()
