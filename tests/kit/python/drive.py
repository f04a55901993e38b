"""Drives an MCP server with the official Python client, as a test says on stdin, and tells on stdout what came of it.

In flows one JSON object: `command`, `args`, `cwd`, `env`, `mode` (of the client: `auto` or `legacy`), and `calls`,
a list of `{tool, arguments}`; calls in a list of their own are made at the same time. With `said`, a list of what the user says to
one dialog after the other (the last for ever), the client can ask; what it asked is told as `asked`. Out flows one JSON object: the `revision`
that was agreed on, the `server`, its `tools`, and one `answer` for each call: its result, or the error it was refused with.
"""

import asyncio
import json
import sys

from mcp import MCPError, StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from mcp.types import ElicitResult


async def call(client, step):
    progress = []

    async def on_progress(done, total, message):
        progress.append(message)

    try:
        result = await client.call_tool(step["tool"], step["arguments"], progress_callback=on_progress)
    except MCPError as error:
        return {"error": {"code": error.error.code, "message": error.error.message}}
    answer = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    answer["progress"] = progress
    return answer


def dialogs(said, asked):
    """Answers dialogs as `said`, and notes what was asked."""

    async def answer(context, params):
        asked.append({"message": params.message, "schema": params.requested_schema})
        result = said.pop(0) if len(said) > 1 else said[0]
        return ElicitResult(action=result["action"], content=result.get("content"))

    return answer


async def drive(asked):
    shown = []
    callback = dialogs(asked["said"], shown) if asked.get("said") else None
    server = StdioServerParameters(command=asked["command"], args=asked["args"], cwd=asked["cwd"], env=asked["env"])
    async with Client(stdio_client(server), mode=asked["mode"], elicitation_callback=callback) as client:
        tools = await client.list_tools()
        told = {
            "revision": client.protocol_version,
            "server": client.server_info.name,
            "instructions": client.instructions,
            "tools": [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools.tools],
            "answers": [],
        }
        for step in asked["calls"]:
            if isinstance(step, list):
                told["answers"].append(await asyncio.gather(*(call(client, each) for each in step)))
            else:
                told["answers"].append(await call(client, step))
        told["asked"] = shown
        return told


print(json.dumps(asyncio.run(drive(json.load(sys.stdin)))))
