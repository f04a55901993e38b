"""A fake MCP server on stdio that misbehaves as it is told: `fake_server.py MODE [ARGUMENT]`. Standard library only.

It has the tools `echo` (returns its arguments), `slow` (answers when `release` is called), `crash`, `huge` (one line of
100 MB), `progress`, `environment`, `ask` (asks the client for roots, sampling and elicitation, and returns what it is told),
`seen` (the notifications that reached it), `grow` (one more tool, and says so), and `subscribed` (whether anybody listens).

Modes: plain, modern, silent (to server/discover), dies-of-discover, old (2024-11-05), modern-only, garbage, reversed (answers
pairs of calls in the wrong order), twice, mute (never answers a call), deaf (stops reading), paged, circle (pages without
end), odd-names, no-list, refuses, fails, never (starts and says nothing), stubborn (ignores the end of its stdin and SIGTERM,
with a child that does the same and whose pid it writes to ARGUMENT), quits (after its first call), blabs (says its ARGUMENT on
stderr and in the refusal of every call, or of the handshake if it begins with `refuse`), stalls (lists its tools once; `lists`
says how often it was asked to).
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time

mode = sys.argv[1] if len(sys.argv) > 1 else "plain"
argument = sys.argv[2] if len(sys.argv) > 2 else None
modern = mode in ("modern", "modern-only")
lock = threading.Lock()
seen = []
lists = 0
held = []
waiting = {}
extra = []
subscription = None


def send(message):
    line = json.dumps(message)
    with lock:
        if mode == "garbage":
            sys.stdout.write("starting up...\n\x1b[31mnot json\n{\"half\": \n[]\n42\n\n")
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": 999999, "result": {}}) + "\n")
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/odd"}) + "\n")
        sys.stdout.write(line + "\n")
        if mode == "twice":
            sys.stdout.write(line + "\n")
        sys.stdout.flush()


def answer(id, result):
    if modern:
        result = {"resultType": "complete", **result}
    send({"jsonrpc": "2.0", "id": id, "result": result})


def refuse(id, code, text):
    send({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}})


def text(value):
    return {"content": [{"type": "text", "text": value if isinstance(value, str) else json.dumps(value)}]}


def tool(name):
    return {"name": name, "description": "Fake.", "inputSchema": {"type": "object"}}


NAMES = ["echo", "slow", "release", "crash", "huge", "progress", "environment", "ask", "seen", "grow", "input", "subscribed"]


def listed(cursor):
    if mode == "odd-names":
        return {"tools": [tool(name) for name in ["good", "a b", "", "good", "\u202etxt", "x" * 200]]}
    tools = [tool(name) for name in NAMES + extra]
    if mode == "paged":
        at = int(cursor or 0)
        page = {"tools": tools[at : at + 2]}
        if at + 2 < len(tools):
            page["nextCursor"] = str(at + 2)
        return page
    if mode == "circle":
        return {"tools": [tool("t" + (cursor or "0"))], "nextCursor": str(int(cursor or 0) + 1)}
    return {"tools": tools}


def grow():
    extra.append("grown%d" % len(extra))
    note = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
    if modern:
        if subscription is None:
            return
        note["params"] = {"_meta": {"io.modelcontextprotocol/subscriptionId": subscription}}
    send(note)


def call(id, params):
    name, arguments = params.get("name"), params.get("arguments", {})
    if mode == "mute":
        return
    if mode == "blabs":
        return refuse(id, -32000, "bad key: %s" % argument)
    if mode == "reversed":
        held.append((id, arguments))
        if len(held) == 2:
            for id, arguments in reversed(held):
                answer(id, text(arguments))
            held.clear()
        return
    if name == "crash":
        sys.stderr.write("fatal: the disk is on fire\n")
        sys.stderr.flush()
        os._exit(3)
    elif name == "slow":
        waiting[id] = True
    elif name == "release":
        for other in list(waiting):
            del waiting[other]
            answer(other, text("released"))
        answer(id, text("done"))
    elif name == "huge":
        with lock:
            head = '{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"' % id
            tail = '"}]}}\n'
            if arguments.get("last"):
                head, tail = '{"result":{"content":[{"type":"text","text":"', '"}]},"jsonrpc":"2.0","id":%d}\n' % id
            sys.stdout.write(head)
            for _ in range(100):
                sys.stdout.write("x" * 1000000)
            sys.stdout.write(tail)
            sys.stdout.flush()
    elif name == "progress":
        token = params["_meta"]["progressToken"]
        for step in range(arguments["steps"]):
            send({"jsonrpc": "2.0", "method": "notifications/progress",
                  "params": {"progressToken": token, "progress": step + 1, "total": arguments["steps"]}})
        answer(id, text("done"))
    elif name == "environment":
        answer(id, text(dict(os.environ, PWD=os.getcwd())))
    elif name == "ask":
        waiting[id] = []
        for method in ["roots/list", "sampling/createMessage", "elicitation/create"]:
            params = {"messages": [], "maxTokens": 1, "message": "?",
                      "requestedSchema": {"type": "object", "properties": {}}}
            send({"jsonrpc": "2.0", "id": "%s@%d" % (method, id), "method": method, "params": params})
    elif name == "lists":
        answer(id, text(lists))
    elif name == "seen":
        answer(id, text(seen))
    elif name == "subscribed":
        answer(id, text(subscription is not None))
    elif name == "grow":
        answer(id, text("growing"))
        grow()
    elif name == "input":
        send({"jsonrpc": "2.0", "id": id, "result": {"resultType": "input_required", "inputRequests": {}}})
    elif name == "echo" or name in extra:
        answer(id, text(arguments))
    else:
        refuse(id, -32602, "no such tool: %s" % name)
    if mode == "quits":
        sys.exit(0)


def request(id, method, params):
    global subscription, lists
    info = {"name": "fake", "version": "1.0"}
    capabilities = {"tools": {"listChanged": True}}
    if method == "server/discover":
        if modern:
            answer(id, {"supportedVersions": ["2026-07-28"], "capabilities": capabilities, "ttlMs": 0,
                        "cacheScope": "private", "_meta": {"io.modelcontextprotocol/serverInfo": info}})
        elif mode == "dies-of-discover":
            os._exit(9)
        elif mode != "silent":
            refuse(id, -32601, "Method not found")
    elif method == "initialize":
        if mode == "modern-only":
            refuse(id, -32022, "Unsupported protocol version")
        elif mode == "blabs" and argument.startswith("refuse"):
            refuse(id, -32000, "bad key: %s" % argument)
        elif mode == "refuses":
            refuse(id, -32000, "not today \x1b[2J")
        else:
            version = "2024-11-05" if mode == "old" else params["protocolVersion"]
            answer(id, {"protocolVersion": version, "capabilities": capabilities, "serverInfo": info})
    elif method == "tools/list":
        lists += 1
        if mode == "stalls" and lists > 1:
            return
        if mode == "no-list":
            refuse(id, -32603, "the list is lost")
        else:
            answer(id, listed((params or {}).get("cursor")))
    elif method == "tools/call":
        call(id, params)
    elif method == "subscriptions/listen":
        subscription = id
        send({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
              "params": {"notifications": {"toolsListChanged": True},
                         "_meta": {"io.modelcontextprotocol/subscriptionId": id}}})
    else:
        refuse(id, -32601, "Method not found")


def main():
    if mode == "fails":
        sys.stderr.write("cannot find module `left-pad`, key=%s\n" % os.environ.get("FAKE_KEY"))
        sys.exit(1)
    if mode == "blabs":
        sys.stderr.write("%s%s started\n" % ("x" * 495, argument))
        sys.stderr.flush()
    if mode == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(60)"
        process = subprocess.Popen([sys.executable, "-c", child])
        with open(argument + ".new", "w") as file:
            file.write("%d %d" % (os.getpid(), process.pid))
        os.rename(argument + ".new", argument)
    if mode == "never":
        while True:
            time.sleep(60)
    for line in sys.stdin:
        message = json.loads(line)
        method = message.get("method")
        if method is None:
            name, _, id = str(message.get("id")).partition("@")
            if id:
                told = waiting[int(id)]
                told.append([name, message.get("error", {}).get("code")])
                if len(told) == 3:
                    del waiting[int(id)]
                    answer(int(id), text(sorted(told)))
        elif "id" in message:
            request(message["id"], method, message.get("params"))
        else:
            seen.append(message)
        if mode == "deaf" and method == "tools/list":
            while True:
                time.sleep(60)
    while mode == "stubborn":
        time.sleep(60)


main()
