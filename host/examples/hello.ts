// Run me: cargo run --release --bin pml -- run host/examples/hello.ts
interface Order {
  item: string;
  price: number;
}

const orders: Order[] = inputs?.orders ?? [
  { item: "cup", price: 4.5 },
  { item: "pot", price: 12 },
];

console.log("orders", orders);
await new Promise((done) => setTimeout(done, 10)); // timers, promises and top-level await are there

const total = orders.reduce((sum, { price }) => sum + price, 0);
({ items: orders.length, total });
