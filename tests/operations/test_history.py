"""A session read backwards is the same as its runs read one by one, with those they started."""

from pathlib import Path

from oneclaw import Agent, App, Config, Scripted
from oneclaw.operations.history import read_history
from oneclaw.operations.runs import read_events
from oneclaw.testing import Call


async def test_pages_from_the_end_have_the_events_of_each_run(tmp_path: Path) -> None:
    turns = [[Call("ask_helper", text="Help."), Call("get_current_time")], "I helped.", "Done."] * 3
    agents = [Agent(name="helper", description="Helps."), Agent(name="boss", agents=("helper",))]
    config = Config(home=tmp_path, values={"models.default": "scripted/demo"})
    async with App(config, providers={"scripted": Scripted(turns)}, agents=agents) as app:
        first = await app.runs.start("boss", "Go 1")
        await first.wait()
        for number in (2, 3):
            await (await app.runs.start("boss", f"Go {number}", session=first.session)).wait()
        await app.store.messages.flush()
        store, session = app.store, first.session.id
        records = await store.runs.of_session(session)
        one_by_one = [[each async for each in read_events(store, record)] for record in records]
        assert all(any(each.parent for each in events) for events in one_by_one)
        latest = await read_history(store, session, limit=2)
        assert list(latest.events) == one_by_one[1] + one_by_one[2]
        assert (latest.run, latest.after) == (records[2].id, one_by_one[2][-1].number)
        older = await read_history(store, session, before=latest.before, limit=2)
        assert (list(older.events), older.before) == (one_by_one[0], 0)
