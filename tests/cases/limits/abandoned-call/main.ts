// Calls that are still out when the program ends are given up without harm.
void mcp.pml.sleep({ ms: 60_000 });
return "done";
