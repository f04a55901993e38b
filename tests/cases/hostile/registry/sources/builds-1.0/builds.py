"""A server of one tool: it tells which program it is, and the variables that it was given."""

import json
import os
import sys


def answer(method, params):
    if method == "initialize":
        version = params["protocolVersion"]
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "fake", "version": "1"}}
    if method == "tools/list":
        return {"tools": [{"name": "told", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}]}
    if method == "tools/call":
        told = {"program": "builds", "variables": dict(os.environ)}
        return {"content": [{"type": "text", "text": json.dumps(told)}]}
    return None


def run():
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        result = answer(request["method"], request.get("params"))
        reply = {"error": {"code": -32601, "message": "unknown"}} if result is None else {"result": result}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **reply}), flush=True)
