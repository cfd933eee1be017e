"""`oneclaw skills`: lists, shows, adds, checks, removes and trusts skills."""

import argparse
import os
from pathlib import Path
from typing import Any

import pytest
from tests.cli.vt import Terminal, environment, script
from tests.skills.conftest import write_skill

from oneclaw.cli.completion import skills_words

Cli = Any


@pytest.fixture
def own(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's folder of skills."""
    monkeypatch.setenv("HOME", str(home.parent / "person"))
    return home.parent / "person/.agents/skills"


def test_without_skills_the_next_step_is_named(cli: Cli, own: Path) -> None:
    ended = cli("skills")
    assert (ended.code, ended.out) == (0, "")
    assert "oneclaw skills add FOLDER" in ended.err
    assert cli("skills", "--json").json["skills"] == []


def test_they_are_listed_with_what_was_left_out(cli: Cli, own: Path) -> None:
    write_skill(own, "pdf", license="MIT")
    write_skill(own, "odd", homepage="x")
    write_skill(own, "bad", "no front matter")
    ended = cli("skills")
    assert ended.out == (
        "!\todd\t~/.agents/skills\tWork with odd files.\n✓\tpdf\t~/.agents/skills\tWork with pdf files.\n"
    )
    assert ended.err.startswith(f"✗ {own}/bad/SKILL.md: it has no front matter")
    found = cli("skills", "list", "--json").json
    assert [one["name"] for one in found["skills"]] == ["odd", "pdf"]
    assert found["problems"][0]["place"] == f"{own}/bad/SKILL.md"


def test_one_is_shown_with_its_files_and_its_text(cli: Cli, own: Path) -> None:
    folder = write_skill(own, "pdf", **{"allowed-tools": "write_file"})
    (folder / "scripts").mkdir()
    (folder / "scripts/fill.py").write_text("x")
    ended = cli("skills", "show", "pdf")
    for text in (
        "Work with pdf files.",
        f"home: {folder}",
        "scripts/fill.py",
        "gives no rights",
        "three steps",
    ):
        assert text in ended.out
    assert cli("skills", "show", "pdf", "--json").json["files"] == ["scripts/fill.py"]
    missing = cli("skills", "show", "pfd")
    assert (missing.code, missing.err) == (3, "oneclaw: there is no skill 'pfd'. Did you mean pdf?\n")
    assert cli("skills", "show").code == 2


def test_one_is_added_replaced_and_removed(cli: Cli, own: Path, home: Path, tmp_path: Path) -> None:
    folder = write_skill(tmp_path / "from", "pdf")
    (folder / "run.sh").write_text("echo")
    (folder / "run.sh").chmod(0o755)
    (folder / ".git").mkdir()
    (folder / ".git/config").write_text("x")
    assert cli("skills", "add", str(folder)).out.startswith(f"pdf is added: {home}/skills/pdf\n")
    assert sorted(os.listdir(home / "skills/pdf")) == ["SKILL.md", "run.sh"]
    assert os.access(home / "skills/pdf/run.sh", os.X_OK)
    assert cli("skills").out.startswith("✓\tpdf\tadded\t")
    again = cli("skills", "add", str(folder))
    assert again.code == 2
    assert "add --replace to replace it" in again.err
    (folder / "run.sh").unlink()
    assert cli("skills", "add", f"{folder}/SKILL.md", "--replace", "--json").json[0]["name"] == "pdf"
    assert os.listdir(home / "skills") == ["pdf"]
    assert os.listdir(home / "skills/pdf") == ["SKILL.md"]
    assert cli("skills", "remove", "pdf").out == f"pdf is removed: {home}/skills/pdf\n"
    assert os.listdir(home / "skills") == []


def test_every_skill_of_a_folder_is_added_or_none(cli: Cli, own: Path, home: Path, tmp_path: Path) -> None:
    write_skill(tmp_path / "from/pack", "a")
    write_skill(tmp_path / "from/pack", "b")
    assert len(cli("skills", "add", str(tmp_path / "from"), "--json").json) == 2
    write_skill(tmp_path / "more", "c")
    write_skill(tmp_path / "more", "d", "nothing")
    ended = cli("skills", "add", str(tmp_path / "more"))
    assert (ended.code, "no front matter" in ended.err) == (2, True)
    assert sorted(os.listdir(home / "skills")) == ["a", "b"]


def test_a_link_out_of_a_skill_is_not_copied(cli: Cli, own: Path, home: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("x")
    for number, (name, target) in enumerate((("file", "secret.txt"), ("folder", ""))):
        folder = write_skill(tmp_path / "from", f"s{number}")
        (folder / name).symlink_to(tmp_path / target)
        ended = cli("skills", "add", str(folder))
        assert (ended.code, "leads out of the skill" in ended.err) == (2, True)
    os.mkfifo(write_skill(tmp_path / "from", "pipe") / "x")
    assert "no regular file" in cli("skills", "add", str(tmp_path / "from/pipe")).err
    assert not (home / "skills").exists() or os.listdir(home / "skills") == []


def test_what_was_not_added_is_not_removed(cli: Cli, own: Path, tmp_path: Path) -> None:
    folder = write_skill(own, "pdf")
    ended = cli("skills", "remove", "pdf")
    assert (ended.code, f"remove {folder}" in ended.err) == (2, True)
    assert folder.exists()


def test_check_is_strict(cli: Cli, own: Path, tmp_path: Path) -> None:
    write_skill(own, "pdf", **{"allowed-tools": "read_file"})
    assert cli("skills", "check").out == "✓\tpdf\tIt keeps to the standard.\n"
    write_skill(own, "Odd", homepage="x")
    write_skill(own, "bad", "---\nname: [\n---\n")
    ended = cli("skills", "check", "--json")
    assert ended.code == 1
    found = {one["name"]: one for one in ended.json}
    assert [found[name]["is_loaded"] for name in ("pdf", "Odd", "bad")] == [True, True, False]
    assert len(found["Odd"]["problems"]) == 2
    (write_skill(own, "pdf") / "out").symlink_to(tmp_path)
    assert "leads out of the skill" in cli("skills", "check", "pdf").out
    elsewhere = write_skill(tmp_path / "x", "one", description="")
    assert cli("skills", "check", str(elsewhere)).out.startswith(
        "✗\tone\tIt is left out: it has no description"
    )
    assert cli("skills", "check", "nothing-here").code == 2


def test_a_project_is_trusted_and_no_longer(cli: Cli, own: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    write_skill(project / ".claude/skills", "deploy")
    where = ("--workspace", str(project))
    before = cli("skills", *where)
    assert before.out == ""
    assert f"oneclaw skills trust {project}" in before.err
    assert cli("skills", "check", *where).out == "✓\tdeploy\tIt keeps to the standard.\n"
    assert cli("skills", "trust", *where).out == (
        f"{project} is trusted: its skills and tools are loaded.\nSkills: deploy\n"
    )
    assert cli("skills", *where).out.startswith("✓\tdeploy\t.claude/skills\t")
    assert cli("skills", "untrust", str(project), "--json").json["changed"] is True
    assert cli("skills", *where).out == ""
    assert cli("skills", "trust", str(tmp_path / "nowhere")).code == 2


def test_an_agent_is_shown_with_its_skills_and_notes(cli: Cli, own: Path, tmp_path: Path) -> None:
    write_skill(own, "pdf")
    (tmp_path / "project").mkdir()
    (tmp_path / "project/AGENTS.md").write_text("Use tabs.")
    shown = cli("agents", "show", "default", "--workspace", str(tmp_path / "project")).out
    assert "  skills      pdf\n" in shown
    assert f"  notes       {tmp_path}/project/AGENTS.md (9 characters)\n" in shown


def test_tab_offers_names_and_folders(own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_skill(own, "pdf")
    write_skill(tmp_path / "here", "pack")
    monkeypatch.chdir(tmp_path / "here")

    def offered(action: str, prefix: str) -> list[str]:
        said = argparse.Namespace(action=action, config=None, home=None, workspace=None, mode=None)
        return list(skills_words(prefix, said))

    assert offered("show", "p") == ["pdf"]
    assert offered("add", "p") == ["pack/"]
    assert offered("list", "p") == []


def test_in_a_chat_a_person_names_a_skill(own: Path, home: Path, tmp_path: Path) -> None:
    write_skill(own, "ferry-times")
    write_skill(own, "help", description="Not reached by its name.")
    model = script(tmp_path, "I follow it.", "Again.")
    variables = environment(home, HOME=str(own.parents[1]))
    with Terminal("chat", "--model", model, environment=variables, columns=100) as terminal:
        terminal.say("/skills")
        terminal.wait("ferry-times")
        terminal.say("/fery-times when?")
        terminal.wait("did you mean /ferry-times?")
        terminal.say("/fer\t when does it leave?")
        terminal.wait("With the skill ferry-times")
        terminal.wait("I follow it.")
        terminal.say("/help")
        terminal.wait("this list")
        terminal.say("/resume last")
        text = terminal.wait("Going on")
        assert "/ferry-times when does it leave?" in text
        assert "(with 1 skill: ferry-times)" in text
        assert "three steps" not in text
        assert terminal.leave() == 0


def test_a_chat_says_that_skills_of_the_project_are_not_loaded(own: Path, home: Path, tmp_path: Path) -> None:
    write_skill(tmp_path / "project/.agents/skills", "deploy")
    model = script(tmp_path, "Hello.")
    words = ("chat", "--model", model, "--workspace", str(tmp_path / "project"))
    variables = environment(home, HOME=str(own.parents[1]))
    with Terminal(*words, environment=variables, columns=300) as terminal:
        terminal.wait("1 skill of this project is not loaded")
        terminal.wait("then type: /trust")
        assert terminal.leave() == 0


def test_run_takes_a_skill_by_its_name(cli: Cli, own: Path, tmp_path: Path) -> None:
    write_skill(own, "pdf")
    ended = cli("run", "--model", script(tmp_path, "Done."), "--quiet", "/pdf merge them")
    assert ended.out == "Done.\n"
    shown = cli("sessions", "show", "last").out
    assert "/pdf merge them\n(with 1 skill: pdf)" in shown
