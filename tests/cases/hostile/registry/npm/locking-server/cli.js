#!/usr/bin/env node
// A server of one tool: it tells which program it is, and the variables that it was given.
const lines = require('readline').createInterface({ input: process.stdin })
const tools = [{ name: 'told', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }]
lines.on('line', line => {
  const { id, method, params } = JSON.parse(line)
  const answers = {
    initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'fake', version: '1' } }),
    'tools/list': () => ({ tools }),
    'tools/call': () => ({ content: [{ type: 'text', text: JSON.stringify({ program: 'locking-server', variables: process.env }) }] }),
  }
  if (id === undefined) return
  const answer = answers[method]
  const reply = answer ? { result: answer() } : { error: { code: -32601, message: 'unknown' } }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...reply }))
})
