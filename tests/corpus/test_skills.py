"""SKILL.md files as people write them: each loads, or is skipped for the two reasons there are."""

import re
from pathlib import Path
from typing import Any, cast

import yaml
from tests.corpus.conftest import Judged, Rows

from oneclaw.skills.library import SkillLibrary
from oneclaw.skills.skill import Skill

STANDARD = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def fields_of(text: str) -> dict[str, Any] | None:
    """The front matter, by the library itself; None where it cannot be read."""
    lines = text.lstrip("\ufeff \r\n").splitlines()
    if not lines or lines[0].rstrip() != "---":
        return {}
    ends = [number for number, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")]
    if not ends:
        return {}
    try:
        found = yaml.safe_load("\n".join(lines[1 : ends[0]]))
    except (yaml.YAMLError, ValueError):
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def loaded(folder: Path, row: dict[str, Any]) -> tuple[list[Skill], SkillLibrary]:
    own = folder / "data" / "skills"
    place = own / row["folder"]
    place.mkdir(parents=True)
    (place / "SKILL.md").write_bytes(row["skill_md"].encode("utf-8", "surrogatepass"))
    library = SkillLibrary(folder / "workspace", own, folder / "home")
    library.scan()
    return list(library.skills.values()), library


def test_each_skill_is_loaded_or_skipped_for_one_of_two_reasons(
    rows: Rows, judged: Judged, tmp_path: Path
) -> None:
    for number, row in enumerate(rows("skills")):
        with judged(row["id"]):
            fields = fields_of(row["skill_md"])
            skills, library = loaded(tmp_path / str(number), row)
            if fields is None or not str(fields.get("description") or "").strip():
                assert not skills
                assert len(library.problems) == 1
                continue
            assert len(skills) == 1, library.problems
            check_loaded(skills[0], fields, row, library)


def check_loaded(skill: Skill, fields: dict[str, Any], row: dict[str, Any], library: SkillLibrary) -> None:
    name = str(fields.get("name") or "").strip()
    assert skill.description.split() == str(fields["description"]).split()
    assert skill.name == (name or row["folder"])
    if not STANDARD.fullmatch(name) or name != row["folder"]:
        assert skill.warnings
    text = library.load(skill)
    body = row["skill_md"].rstrip().splitlines()[-1]
    assert body in text or body.rstrip() == "---"
