"""A small MCP server to try pml with: a shop, two of whose orders are late. Python's standard library is enough.

`orders` lists orders and only reads. `refund` pays an order back. Nothing leaves this process.
"""

import json
import sys

ORDERS = [
    {"id": 17, "item": "teapot", "total": 12, "state": "late"},
    {"id": 21, "item": "cup", "total": 4.5, "state": "late"},
    {"id": 22, "item": "tray", "total": 30, "state": "sent"},
]
ORDER = {"type": "object", "properties": {"id": {"type": "integer"}, "total": {"type": "number"}},
         "required": ["id", "total"]}
TOOLS = [
    {"name": "orders", "description": "Lists orders, all or those in one state.",
     "inputSchema": {"type": "object", "properties": {"state": {"enum": ["sent", "late"]}},
                     "additionalProperties": False},
     "outputSchema": {"type": "object", "properties": {"orders": {"type": "array", "items": ORDER}},
                      "required": ["orders"]},
     "annotations": {"readOnlyHint": True}},
    {"name": "refund", "description": "Pays an order back.",
     "inputSchema": {"type": "object", "properties": {"id": {"type": "integer"}, "amount": {"type": "number"}},
                     "required": ["id", "amount"], "additionalProperties": False},
     "outputSchema": {"type": "object", "properties": {"refunded": {"type": "number"}}, "required": ["refunded"]},
     "annotations": {"destructiveHint": True}},
]


def call(name, arguments):
    if name == "orders":
        state = arguments.get("state")
        return {"orders": [order for order in ORDERS if state in (None, order["state"])]}
    return {"refunded": arguments["amount"]}


def answer(method, params):
    if method == "initialize":
        return {"result": {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                           "serverInfo": {"name": "shop", "version": "1.0.0"}}}
    if method == "tools/list":
        return {"result": {"tools": TOOLS}}
    if method == "tools/call":
        value = call(params["name"], params.get("arguments") or {})
        return {"result": {"content": [{"type": "text", "text": json.dumps(value)}], "structuredContent": value}}
    return {"error": {"code": -32601, "message": "Method not found"}}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        reply = answer(message["method"], message.get("params") or {})
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}), flush=True)
