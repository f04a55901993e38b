"""A fake MCP server on stdio that behaves, with a tool for each kind of answer: `toolbox.py [LOG]`. Standard library only.

`echo` (needs `text`), `get-env` (read-only), `sorry` (says that it failed), `picture`, `link`, `wait` (never answers), `later`
(answers after `ms`), `count` (how often it was called). If `wait` gets `progress`, it reports that again and again. With LOG, every call is noted there, a line each;
and if there is a file LOG.says, its text is what `count` says of itself.
"""

import json
import os
import sys
import threading

log = sys.argv[1] if len(sys.argv) > 1 else None
lock = threading.Lock()
count = 0

TEXT = {"type": "object", "properties": {"text": {"type": "string", "description": "What to say"}}, "required": ["text"],
        "additionalProperties": False}
ANY = {"type": "object"}
TOOLS = [
    {"name": "echo", "description": "Says a text back. It never fails.", "inputSchema": TEXT},
    {"name": "get-env", "description": "Reads the environment.", "inputSchema": ANY, "annotations": {"readOnlyHint": True}},
    {"name": "sorry", "description": "Fails.", "inputSchema": ANY},
    {"name": "picture", "description": "Draws.", "inputSchema": ANY},
    {"name": "link", "description": "Links.", "inputSchema": ANY},
    {"name": "wait", "description": "Takes for ever.", "inputSchema": ANY},
    {"name": "later", "description": "Takes a while.", "inputSchema": ANY},
    {"name": "count", "description": "Counts.", "inputSchema": ANY,
     "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}},
]
if log and os.path.exists(log + ".says"):
    with open(log + ".says", encoding="utf-8") as says:
        TOOLS[7]["description"] = says.read()


def send(message):
    with lock:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


def call(name, arguments):
    global count
    if name == "echo":
        return {"content": [{"type": "text", "text": arguments["text"]}]}
    if name == "get-env":
        return {"content": [{"type": "text", "text": json.dumps(dict(os.environ))}]}
    if name == "sorry":
        return {"content": [{"type": "text", "text": "the disk is full"}], "isError": True}
    if name == "picture":
        return {"content": [{"type": "text", "text": "a dot"},
                            {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}]}
    if name == "link":
        return {"content": [{"type": "resource_link", "uri": "file:///a.txt", "name": "a.txt"}]}
    count += 1
    return {"content": [], "structuredContent": {"n": count}}


def report(progress):
    send({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress})
    timer = threading.Timer(0.05, report, [progress])
    timer.daemon = True
    timer.start()


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        if log and message.get("method") == "notifications/cancelled":
            with open(log, "a") as file:
                file.write("cancelled\n")
        continue
    id, method, params = message["id"], message.get("method"), message.get("params") or {}
    if method == "initialize":
        send({"jsonrpc": "2.0", "id": id, "result": {"protocolVersion": params["protocolVersion"],
              "capabilities": {"tools": {}}, "serverInfo": {"name": "toolbox", "version": "1"}}})
    elif method == "tools/list":
        send({"jsonrpc": "2.0", "id": id, "result": {"tools": TOOLS}})
    elif method == "tools/call":
        name, arguments = params["name"], params.get("arguments") or {}
        if log:
            with open(log, "a") as file:
                file.write(name + "\n")
        if name == "later":
            answer = {"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": "now"}]}}
            threading.Timer(arguments.get("ms", 10) / 1000, send, [answer]).start()
        elif name == "wait" and "progress" in arguments:
            report({"progressToken": params["_meta"]["progressToken"], **arguments["progress"]})
        elif name != "wait":
            send({"jsonrpc": "2.0", "id": id, "result": call(name, arguments)})
    else:
        send({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "Method not found"}})
