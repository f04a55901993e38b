"""A fake MCP server on stdio whose answers are cheap to write and costly to read. Standard library only.

`lists` answers with `n` times `[0]`, as a value or, with `as: "text"` or `as: "error"`, in a text block or a failure; `text` with
`n` letters; `take` takes anything and says how long the line was.
"""

import json
import sys

ANY = {"type": "object"}
TOOLS = [{"name": name, "description": name, "inputSchema": ANY} for name in ("lists", "text", "take")]


def send(id, result):
    """Sends a result that is JSON text already."""
    sys.stdout.write('{"jsonrpc":"2.0","id":%s,"result":%s}\n' % (json.dumps(id), result))
    sys.stdout.flush()


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    id, method, params = message["id"], message.get("method"), message.get("params") or {}
    if method == "initialize":
        info = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                "serverInfo": {"name": "heavy", "version": "1"}}
        send(id, json.dumps(info))
    elif method == "tools/list":
        send(id, json.dumps({"tools": TOOLS}))
    elif method == "tools/call":
        name, arguments = params["name"], params.get("arguments") or {}
        lists = "[" + "[0]," * (int(arguments.get("n", 1)) - 1) + "[0]]" if name == "lists" else ""
        if name == "take":
            send(id, '{"content":[],"structuredContent":{"length":%d}}' % len(line))
        elif name == "text":
            send(id, '{"content":[{"type":"text","text":"%s"}]}' % ("x" * int(arguments["n"])))
        elif arguments.get("as") == "text":
            send(id, '{"content":[{"type":"text","text":"%s"}]}' % lists)
        elif arguments.get("as") == "error":
            send(id, '{"isError":true,"content":[],"structuredContent":%s}' % lists)
        else:
            send(id, '{"content":[],"structuredContent":%s}' % lists)
    else:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no"}}) + "\n")
        sys.stdout.flush()
