await mcp.evil.go({})
