//! The simplest MCP client there is: lines of JSON to a process and back. It shows exactly what
//! goes over the wire.

use crate::waiting::PATIENCE;
use pml::json::{self, Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;

/// A process that speaks MCP on its stdin and stdout.
pub struct StdioClient {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Option<JoinHandle<String>>,
    next: u64,
    /// What came and nobody asked for: notifications, and answers to requests that were not waited
    /// for.
    pub aside: Vec<Value>,
}

impl StdioClient {
    /// Starts a server.
    pub fn start(command: &mut Command) -> StdioClient {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut pipe = child.stderr.take().expect("piped");
        let stderr = std::thread::spawn(move || {
            let mut text = String::new();
            // What is not UTF-8 is not ours.
            let _ = pipe.read_to_string(&mut text);
            text
        });
        let stdin = child.stdin.take();
        StdioClient { child, stdin, lines, stderr: Some(stderr), next: 0, aside: Vec::new() }
    }

    /// Shakes hands as clients did until 2025.
    pub fn initialize(&mut self) -> Value {
        self.initialize_as("test")
    }

    /// The same, under another name.
    pub fn initialize_as(&mut self, name: &str) -> Value {
        self.initialize_with(name, json!({}))
    }

    /// The same, with what the client is able to do.
    pub fn initialize_with(&mut self, name: &str, capabilities: Value) -> Value {
        let answer = self.request(
            "initialize",
            json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities,
                "clientInfo": { "name": name, "version": "1" } }),
        );
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        answer
    }

    /// Writes a line.
    pub fn send(&mut self, line: &str) {
        self.send_bytes(line.as_bytes());
    }

    /// Writes a line that need not be text.
    pub fn send_bytes(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().expect("it is open");
        let written = stdin.write_all(line).and_then(|()| stdin.write_all(b"\n"));
        written.and_then(|()| stdin.flush()).expect("the server reads");
    }

    /// Cancels a request.
    pub fn cancel(&mut self, id: u64) {
        let params = json!({ "requestId": id });
        let method = "notifications/cancelled";
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// Sends a request and does not wait. Returns its id.
    pub fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let request =
            json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params });
        self.send(&request.to_string());
        self.next
    }

    /// Waits for the answer to a request; the whole message.
    pub fn answer(&mut self, id: u64) -> Value {
        let answers = |message: &Value| message["id"] == id && message.get("method").is_none();
        if let Some(at) = self.aside.iter().position(answers) {
            return self.aside.remove(at);
        }
        loop {
            let message = self.receive();
            if answers(&message) {
                return message;
            }
            self.aside.push(message);
        }
    }

    /// Waits for the next message, whatever it is.
    pub fn receive(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("the server answers");
        json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Waits until the server sends a request or a notification of that name.
    pub fn asked(&mut self, method: &str) -> Value {
        if let Some(at) = self.aside.iter().position(|message| message["method"] == method) {
            return self.aside.remove(at);
        }
        loop {
            let message = self.receive();
            if message["method"] == method {
                return message;
            }
            self.aside.push(message);
        }
    }

    /// Answers a request of the server.
    pub fn reply(&mut self, request: &Value, result: Value) {
        let reply = json!({ "jsonrpc": "2.0", "id": request["id"], "result": result });
        self.send(&reply.to_string());
    }

    /// Sends a request and waits for its answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }

    /// Calls a tool; the whole message.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Runs a program; what `execute` answers in its structure.
    pub fn execute(&mut self, code: &str) -> Value {
        let answer = self.call("execute", json!({ "code": code }));
        let body = answer["result"]["structuredContent"].clone();
        assert!(body.is_object(), "{answer}");
        body
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Says that no more will come.
    pub fn close(&mut self) {
        drop(self.stdin.take());
    }

    /// Waits for the end. Returns the exit code (-1 after a signal), and what went to stderr.
    pub fn finish(mut self) -> (i32, String) {
        let status = self.child.wait().expect("it ends");
        let stderr = self.stderr.take().expect("once").join().expect("it was read");
        (status.code().unwrap_or(-1), stderr)
    }
}

impl Drop for StdioClient {
    fn drop(&mut self) {
        // A test that fails must not leave a server behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
