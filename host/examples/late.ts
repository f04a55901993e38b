const { orders } = await mcp.shop.orders({ state: "late" })
console.log(`${orders.length} orders are late`)
const [{ id, total }] = orders
return await mcp.shop.refund({ id, amount: total })
