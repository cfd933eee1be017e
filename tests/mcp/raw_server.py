"""An MCP server of the older protocol that can misbehave: `python raw_server.py [FAULT [VALUE]]`.

It is written without the SDK: it starts in a moment, and it can send what no SDK would send.
"""

import json
import os
import sys
import threading
import time
from typing import Any

FAULT, VALUE = (*sys.argv[1:], "", "")[:2]
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}
FORM = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}, "colour": {"type": "string", "default": "blue"}},
    "required": ["ok"],
}
lock = threading.Lock()
answers: dict[str, Any] = {}
arrived = threading.Condition()


def write(data: bytes) -> None:
    with lock:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def send(message: dict[str, Any]) -> None:
    write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def tool(name: Any, description: Any = "Say it again.", schema: Any = None) -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": SCHEMA if schema is None else schema}


def tools() -> list[Any]:
    if FAULT == "many":
        return [tool(f"tool_{number}", f"Tool number {number}.") for number in range(int(VALUE))]
    if FAULT == "bad":
        return [
            tool("echo"),
            tool("no schema", schema={"type": "nonsense"}),
            tool("wrong", schema={"type": "object", "properties": {"a": {"type": "nonsense"}}}),
            tool("refers", schema={"type": "object", "properties": {"a": {"$ref": VALUE or "http://x/"}}}),
            tool("long", "x" * 30_000),
            tool("b\u202eidi"),
            tool("list", schema=[1]),
            {"name": 5, "inputSchema": SCHEMA},
            {"name": "bare"},
            "no tool at all",
            tool("echo", "Another echo."),
            tool("hidden", "Read\u200b this\u202e backwards."),
        ]
    if FAULT == "file":  # the tools stand in a file, which a test changes
        with open(VALUE) as file:
            return json.load(file)
    return [tool("echo"), tool("ask"), tool("slow"), tool("hang"), tool("die"), tool("misbehave")]


def ask(method: str, params: dict[str, Any]) -> Any:
    name = f"ask-{time.monotonic_ns()}"
    send({"id": name, "method": method, "params": params})
    with arrived:
        arrived.wait_for(lambda: name in answers)
    return answers[name]


def text(said: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": said}]}


def call(number: Any, params: dict[str, Any]) -> None:
    name = params["name"]
    given: dict[str, Any] = params.get("arguments") or {}
    if name == "die":
        print("I am dying", file=sys.stderr, flush=True)
        os._exit(3)
    if name == "hang":
        return
    if name == "ask":
        said = ask("elicitation/create", {"message": "Sure?", "requestedSchema": FORM})
        send({"id": number, "result": text(json.dumps(said))})
        return
    if name == "slow":
        token = params["_meta"]["progressToken"]
        for step in range(8):
            time.sleep(0.25)
            progress = {
                "progressToken": token,
                "progress": step + 1,
                "total": 8,
                "message": f"step {step + 1}",
            }
            send({"method": "notifications/progress", "params": progress})
        send({"id": number, "result": text("done")})
        return
    if name == "misbehave":
        match FAULT:
            case "half":
                line = json.dumps({"jsonrpc": "2.0", "id": number, "result": text("whole")}).encode() + b"\n"
                for place in range(0, len(line), 7):
                    write(line[place : place + 7])
                    time.sleep(0.001)
                return
            case "long":
                write(b'{"jsonrpc": "2.0", "id": 0, "result": "' + b"x" * int(VALUE))
                return
            case "twice":
                send({"id": number, "result": text("first")})
                send({"id": number, "result": text("second")})
                return
            case "wrong-id":
                send({"id": 999_999, "result": text("nobody asked")})
                send({"id": "x", "result": text("nobody asked")})
                send({"id": number, "result": text("right")})
                return
            case "broken":
                write(b'{"jsonrpc": "2.0", "id": ' + json.dumps(number).encode() + b', "result": 5}\n')
                return
            case _:
                pass
    send({"id": number, "result": text(f"{given.get('text')}")})


def flood() -> None:
    while True:
        send({"method": "notifications/message", "params": {"level": "info", "data": "x" * 200}})


def handle(message: dict[str, Any]) -> None:
    method, number = message.get("method"), message.get("id")
    if method is None:
        with arrived:
            answers[str(number)] = message.get("result") or message.get("error")
            arrived.notify_all()
    elif method == "initialize":
        if FAULT == "hang-start":
            return
        able = {"tools": {"listChanged": True}}
        about = {
            "protocolVersion": "2025-11-25",
            "capabilities": able,
            "serverInfo": {"name": "raw", "version": "1"},
        }
        send({"id": number, "result": about})
    elif method == "notifications/initialized":
        if FAULT == "noise":
            write(b"Welcome to the server!\n\xff\xfe\n{]\n" * 1000)
        if FAULT == "log":
            threading.Thread(
                target=lambda: [sys.stderr.write("x" * 10_000) for _ in iter(int, 1)], daemon=True
            ).start()
        if FAULT == "flood":
            threading.Thread(target=flood, daemon=True).start()
        if FAULT == "file":
            threading.Thread(target=watch, daemon=True).start()
    elif method == "tools/list":
        if FAULT != "hang-list":
            send({"id": number, "result": {"tools": tools()}})
    elif method == "tools/call":
        threading.Thread(target=call, args=(number, message["params"]), daemon=True).start()
    elif method == "notifications/cancelled" and FAULT == "late":
        send({"id": message["params"]["requestId"], "result": text("too late")})
    elif number is not None:
        send({"id": number, "error": {"code": -32601, "message": "Method not found"}})


def watch() -> None:
    """Say that the tools changed when their file did."""
    before = os.stat(VALUE).st_mtime_ns
    while True:
        time.sleep(0.05)
        now = os.stat(VALUE).st_mtime_ns
        if now != before:
            before = now
            send({"method": "notifications/tools/list_changed"})


for line in sys.stdin.buffer:
    handle(json.loads(line))
