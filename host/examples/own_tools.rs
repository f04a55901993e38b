//! Runs a program with tools of the embedder's own.
//!
//! A shop offers two tools, `shop:price` and `shop:reserve`. The program looks at two prices at the
//! same time, reserves what it can, and handles the refusal of what is sold out. A third tool
//! exists but is not allowed, so the program never reaches it.
//!
//! Prints each call as it goes out and comes back, then the program's console, then its result:
//!
//! ```text
//! call 1: shop:price
//! call 2: shop:price
//! call 1: ok
//! …
//! console: sold out: tea
//! result: {"total":12.5,"reserved":["cup"],"refused":"TOOL_DENIED"}
//! ```

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use pml::json::{Value, json};
use pml::{BoxFuture, Call, CallError, Config, Engine, Event, Reply, Script, Tools};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// What the program is to do, in TypeScript. Tools are asynchronous functions; a refusal is an
/// error that it can catch.
const PROGRAM: &str = r#"
type Price = { price: number };
const wanted: string[] = inputs.wanted;
const prices = await Promise.all(wanted.map((item) => mcp.shop.price({ item }) as Promise<Price>));

const reserved: string[] = [];
for (const item of wanted) {
  try {
    await mcp.shop.reserve({ item });
    reserved.push(item);
  } catch (error) {
    if (error.code !== "TOOL_FAILED") throw error;
    console.log(`sold out: ${error.data.item}`);
  }
}

const refused = await mcp.shop.empty_the_till({}).catch((error) => error.code);
return { total: prices.reduce((sum, { price }) => sum + price, 0), reserved, refused };
"#;

/// The tools: anything that can be shared between threads. Here, a stock of items.
struct Shop {
    stock: Mutex<BTreeMap<&'static str, u32>>,
}

impl Shop {
    fn price(&self, item: &str) -> Reply {
        match item {
            "cup" => Ok(json!({ "price": 8 })),
            "tea" => Ok(json!({ "price": 4.5 })),
            _ => Err(CallError::tool("there is no such item").with_data(json!({ "item": item }))),
        }
    }

    fn reserve(&self, item: &str) -> Reply {
        let mut stock = self.stock.lock().unwrap_or_else(PoisonError::into_inner);
        match stock.get_mut(item) {
            Some(left) if *left > 0 => {
                *left -= 1;
                Ok(json!({ "left": *left }))
            }
            _ => Err(CallError::tool("none is left").with_data(json!({ "item": item }))),
        }
    }
}

impl Tools for Shop {
    fn call(&self, call: Call) -> BoxFuture<'_, Reply> {
        Box::pin(async move {
            // The arguments are the program's: an object for certain, anything inside.
            let Some(item) = call.arguments.get("item").and_then(Value::as_str) else {
                return Err(CallError::tool("`item` must be a string"));
            };
            match call.tool.tool() {
                "price" => self.price(item),
                "reserve" => self.reserve(item),
                _ => Err(CallError::unknown(call.tool.as_str())),
            }
        })
    }
}

fn show(event: &Event) {
    match event {
        Event::CallStarted { call, tool, .. } => println!("call {call}: {tool}"),
        Event::CallSettled { call, error: None, .. } => println!("call {call}: ok"),
        Event::CallSettled { call, error: Some(error), .. } => {
            println!("call {call}: {}, {}", error.code, error.message);
        }
        Event::Console { line, .. } => println!("console: {}", pml::text::escape(&line.text)),
        _ => {}
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), pml::Error> {
    let mut config = Config::new(); // everything is refused until it is allowed
    config.allow_tool("shop:price").allow_tool("shop:reserve");
    let engine = Engine::new(&config)?;

    let shop = Shop { stock: Mutex::new(BTreeMap::from([("cup", 3), ("tea", 0)])) };
    let run = engine.run(Script::ts(PROGRAM)).inputs(json!({ "wanted": ["cup", "tea"] }));
    let outcome = run.tools(shop).events(show).await?;

    let result = outcome.value().unwrap_or_default();
    println!("result: {result}");
    let expected = json!({ "total": 12.5, "reserved": ["cup"], "refused": "TOOL_DENIED" });
    assert_eq!(result, expected, "{:?}", outcome.failure());
    Ok(())
}
