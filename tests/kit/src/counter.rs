//! Tools that count what reaches them: in this process, or in another over a socket.
//!
//! | tool | does | may be repeated |
//! | --- | --- | --- |
//! | `t:echo` | answers at once | no |
//! | `t:slow` | answers after others had some turns | no |
//! | `t:ask` | answers at once; to be put under `ask_tool` | no |
//! | `t:read` | answers at once | yes: it reads |
//! | `t:fail` | fails | yes: it is idempotent |

use pml::json::{self, Value, json};
use pml::{
    Answer, BoxFuture, Call, CallError, CallId, Decision, Question, Reply, RunId, ToolName, Tools,
    approval::AskKind, tool::Effects,
};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// How many turns `t:slow` leaves to others before it answers.
const TURNS: usize = 32;

/// Counts calls.
#[derive(Default)]
pub struct Counter {
    seen: Mutex<BTreeMap<(RunId, CallId), u64>>,
}

impl Counter {
    fn count(&self, run: RunId, call: CallId) {
        *self.seen.lock().expect("no panic").entry((run, call)).or_default() += 1;
    }

    /// Returns how often this call was seen.
    pub fn seen(&self, run: RunId, call: CallId) -> u64 {
        self.seen.lock().expect("no panic").get(&(run, call)).copied().unwrap_or(0)
    }

    /// Answers calls that come over a socket, for as long as the process lives.
    ///
    /// One thread reads and counts the calls in the order in which their callers connected. So
    /// whoever connects after a caller has died sees all calls of the dead one.
    pub fn serve(self: Arc<Counter>, socket: &Path) {
        let listener = UnixListener::bind(socket).expect("a socket");
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                self.attend(stream);
            }
        });
    }

    /// One line in, one line out. A caller that dies meanwhile takes nothing back.
    fn attend(&self, stream: UnixStream) {
        let mut line = String::new();
        let read = BufReader::new(&stream).read_line(&mut line);
        let Ok(request) = json::from_str::<Value>(&line) else { return };
        read.expect("a line was read");
        let id = |name: &str| request[name].clone();
        let run: RunId = json::from_value(id("run")).expect("a run");
        let call = CallId::numbered(id("call").as_u64().expect("a call"));
        let answer = match request["tool"].as_str() {
            None => json!(self.seen(run, call)),
            Some(tool) => {
                self.count(run, call);
                match tool_reply(tool, &request["arguments"]) {
                    Ok(value) => json!({ "ok": value }),
                    Err(error) => json!({ "error": error }),
                }
            }
        };
        let turns = if request["tool"] == "t:slow" { TURNS } else { 0 };
        let answer = move || {
            (0..turns).for_each(|_| std::thread::yield_now());
            // The caller may be dead by now: that is what is tested.
            let _ = writeln!(&stream, "{answer}");
        };
        match turns {
            0 => answer(),
            _ => drop(std::thread::spawn(answer)),
        }
    }
}

/// Returns what a tool answers: nothing but its arguments decides.
pub fn tool_reply(tool: &str, arguments: &Value) -> Reply {
    match tool {
        "t:echo" | "t:slow" | "t:ask" | "t:read" => Ok(arguments.clone()),
        "t:fail" => Err(CallError::tool("it does not work").with_data(arguments.clone())),
        other => Err(CallError::unknown(other)),
    }
}

/// Returns what a tool says of itself.
pub fn tool_effects(tool: &str) -> Effects {
    match tool {
        "t:read" => Effects::ReadOnly,
        "t:fail" => Effects::Idempotent,
        _ => Effects::Unknown,
    }
}

/// The tools in this process.
pub struct LocalTools(pub Arc<Counter>);

impl Tools for LocalTools {
    fn call(&self, call: Call) -> BoxFuture<'_, Reply> {
        self.0.count(call.run, call.id);
        Box::pin(async move {
            let turns = if call.tool.as_str() == "t:slow" { TURNS } else { 0 };
            for _ in 0..turns {
                tokio::task::yield_now().await;
            }
            tool_reply(call.tool.as_str(), &call.arguments)
        })
    }

    fn effects(&self, tool: &ToolName) -> Effects {
        tool_effects(tool.as_str())
    }
}

/// The tools of another process, behind a socket.
#[derive(Clone)]
pub struct RemoteTools(pub PathBuf);

impl RemoteTools {
    fn ask(&self, request: &Value) -> Value {
        let stream = UnixStream::connect(&self.0).expect("the tools are there");
        writeln!(&stream, "{request}").expect("the tools listen");
        let mut line = String::new();
        BufReader::new(&stream).read_line(&mut line).expect("the tools answer");
        json::from_str(&line).expect("JSON")
    }

    /// Returns how often a call was seen there.
    pub fn seen(&self, run: RunId, call: CallId) -> u64 {
        self.ask(&json!({ "run": run, "call": call })).as_u64().expect("a number")
    }
}

impl Tools for RemoteTools {
    fn call(&self, call: Call) -> BoxFuture<'_, Reply> {
        let there = self.clone();
        Box::pin(async move {
            let request = json!({ "run": call.run, "call": call.id, "tool": call.tool, "arguments": call.arguments });
            let asked = tokio::task::spawn_blocking(move || there.ask(&request));
            let mut answer = asked.await.expect("no panic");
            match answer["error"].take() {
                Value::Null => Ok(answer["ok"].take()),
                error => Err(json::from_value(error).expect("an error")),
            }
        })
    }

    fn effects(&self, tool: &ToolName) -> Effects {
        tool_effects(tool.as_str())
    }
}

/// Returns what a careful person says: a call that was seen is not repeated, one that was not is;
/// of other calls, those with an `n` that seven divides are declined.
pub fn careful_answer(question: &Question, seen: impl Fn(RunId, CallId) -> u64) -> Answer {
    let decisions = question.asks.iter().map(|ask| {
        let decision = match (ask.kind, ask.call) {
            (AskKind::UncertainCall, Some(call)) => match seen(question.run, call) {
                0 => Decision::Approve,
                _ => Decision::Result(tool_reply(&ask.tool, &ask.arguments).expect("it answers")),
            },
            _ if ask.arguments["n"].as_u64().is_some_and(|n| n % 7 == 0) => Decision::Decline,
            _ => Decision::Approve,
        };
        (ask.id, decision)
    });
    Answer::each(question, decisions, "a careful person", "a test")
}
