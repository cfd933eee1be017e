"""A program that embeds OneClaw through its public modules only. `test_embedding.py` runs it."""

import asyncio
import base64
from dataclasses import dataclass

from oneclaw import Agent, App, Config, Image, Limits, RunFailed, Scripted, ToolCall, load_config, tool
from oneclaw.events import RunFinished, TextAdded, ToolFinished, Usage, UsageCounted
from oneclaw.hooks import Block, Hooks
from oneclaw.testing import Call, End, Fail, Request, Say, Wait

PIXEL = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==")


@dataclass
class Invoice:
    """What is to be paid."""

    number: str
    euros: float


@tool(effect="read")
def price(item: str) -> float:
    """Look up a price in euros."""
    return {"tea": 3.5, "cake": 4.0}[item]


@tool(effect="read")
def receipt() -> Image:
    """Photograph the receipt."""
    return Image(PIXEL, "image/gif")


@tool
def pay(euros: float) -> str:
    """Pay."""
    return f"paid {euros}"


def refuse_large(call: ToolCall, _: object, arguments: dict[str, float], session: object) -> Block | None:
    return Block("more than 100 euros") if call.name == "pay" and arguments["euros"] > 100 else None


def make_app(config: Config, *replies: object) -> tuple[App, Scripted]:
    model = Scripted(list(replies))  # pyright: ignore[reportArgumentType]
    agents = [
        Agent(name="clerk", description="Knows prices.", model="demo/m", tools=["price"]),
        Agent(name="eye", description="Sees.", model="demo/m", tools=["receipt"]),
        Agent(name="boss", model="demo/m", agents=("clerk", "eye"), deny=["group:web"], output=Invoice),
    ]
    hooks, tools = Hooks(before=(refuse_large,)), [price, receipt, pay]
    return App(config, tools=tools, hooks=hooks, agents=agents, providers={"demo": model}), model


async def embed(config: Config) -> None:
    app, model = make_app(
        config,
        *(Call("ask_clerk", text="What is tea?"), Call("price", item="tea"), "Tea is 3.50."),
        *(Call("ask_eye", text="What is on the receipt?"), Call("receipt"), "One pixel."),
        *("No. 7, about four euros", '{"number": "7", "euros": 3.5}'),
        [Call("pay", euros=500)],
        [Say("I may "), Say("not."), End(usage=Usage(input=900, output=100))],
        *(["One", Wait(30)], "Two."),
    )
    async with app:
        bill = await app.ask("boss", "Write the invoice.")  # two sub-agents, then an answer that fits at last
        assert bill.value == Invoice("7", 3.5), bill
        seen = [part for request in model.requests for part in images_of(request)]
        assert seen == [PIXEL]
        assert not app.why("http_request", agent="boss").allowed
        assert app.why("price", agent="clerk").allowed

        said, blocked, cost = "", "", None
        async for event in app.run(Agent(name="payer", model="demo/m", tools=["pay"]), "Pay 500 euros."):
            if isinstance(event, TextAdded):
                said += event.text
            elif isinstance(event, ToolFinished):
                blocked = event.result.message
            elif isinstance(event, UsageCounted):
                cost = event.total_cost
            elif isinstance(event, RunFinished):
                assert event.usage.total >= 1_000
        assert (said, blocked) == ("I may not.", "The call was blocked: more than 100 euros")
        assert cost == 900 / 1e6 + 100 * 2 / 1e6

        handle = await app.runs.start("clerk", "Count slowly.")
        async for envelope in handle.events():
            if isinstance(envelope.event, TextAdded):
                break  # the run goes on without this reader
        await handle.stop()
        ends = [event async for event in app.resume(handle.id) if isinstance(event, RunFinished)]
        assert ends[0].text == "Two."


def images_of(request: Request) -> list[bytes]:
    results = getattr(request.messages[-1], "results", ())
    return [image.data for result in results for image in result.images]


def script(config: Config) -> None:
    app, _ = make_app(config, "Hello.", "Streamed.", Fail("key", "The key was refused."))
    with app as plain:
        assert plain.call("price", item="cake").value == 4.0
        assert plain.ask("clerk", "Hi.").text == "Hello."
        assert [event.text for event in plain.stream("clerk", "Hi.") if isinstance(event, TextAdded)]
        try:
            plain.ask(Agent(name="poor", model="demo/m", limits=Limits(rounds=1)), "Hi.")
        except RunFailed as error:
            print(error.finished.error)


settings = load_config()
prices = {"models.demo/m.input_price": 1.0, "models.demo/m.output_price": 2.0}
settings = Config(home=settings.home, values={**settings.values, **prices})
asyncio.run(embed(settings))
script(settings)
