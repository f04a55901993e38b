//! Programs made at random: everything that can be cut off in the middle.

/// A program, and what may be said of it.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The number it was made from: the same number makes the same program.
    pub seed: u64,
    /// TypeScript.
    pub code: String,
    /// Whether its result depends on which of two answers comes first.
    pub racy: bool,
}

/// Makes a program.
pub fn generate(seed: u64) -> Generated {
    let mut maker = Maker { state: seed, code: String::new(), racy: false, numbers: 0 };
    maker.line(0, "const log: unknown[] = [];");
    let statements = 3 + maker.pick(4);
    for _ in 0..statements {
        maker.statement(0, 2);
    }
    match maker.pick(8) {
        0 => maker.line(0, "throw new RangeError('at the end of ' + log.length);"),
        _ => maker.line(0, "return log;"),
    }
    Generated { seed, code: maker.code, racy: maker.racy }
}

struct Maker {
    state: u64,
    code: String,
    racy: bool,
    numbers: u64,
}

impl Maker {
    /// A number below `bound` (splitmix64).
    fn pick(&mut self, bound: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.code.push_str(&"  ".repeat(depth));
        self.code.push_str(text);
        self.code.push('\n');
    }

    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    fn arguments(&mut self) -> String {
        let n = self.number();
        match self.pick(4) {
            0 => format!("{{ n: {n}, r: Math.random() }}"),
            1 => format!("{{ n: {n}, at: Date.now() }}"),
            2 => format!("{{ n: {n}, id: crypto.randomUUID(), s: 'é\\u0000\\ud83d' }}"),
            _ => format!("{{ n: {n} }}"),
        }
    }

    /// A promise of a call that never rejects.
    fn call(&mut self) -> String {
        let arguments = self.arguments();
        match self.pick(8) {
            0 | 1 => format!("mcp.t.echo({arguments}).then((x) => x.n)"),
            2 | 3 => format!("mcp.t.slow({arguments}).then((x) => x.n)"),
            4 => format!("mcp.t.read({arguments}).then((x) => x.n)"),
            5 => format!("mcp.t.fail({arguments}).catch((e) => e.code)"),
            6 => format!("mcp.pml.sleep({{ ms: {} }}).then(() => 'slept')", self.numbers % 3),
            _ => format!("mcp.t.ask({arguments}).then((x) => x.n, (e) => e.code)"),
        }
    }

    fn list(&mut self) -> String {
        let calls = 2 + self.pick(3);
        let calls: Vec<_> = (0..calls).map(|_| self.call()).collect();
        calls.join(", ")
    }

    fn statement(&mut self, depth: usize, nesting: usize) {
        let kinds = if nesting == 0 { 7 } else { 10 };
        match self.pick(kinds) {
            0 | 1 => {
                let call = self.call();
                self.line(depth, &format!("log.push(await {call});"));
            }
            2 => {
                let calls = self.list();
                self.line(depth, &format!("log.push(...await Promise.all([{calls}]));"));
            }
            3 => {
                let calls = self.list();
                let settled = format!("await Promise.allSettled([{calls}, Promise.reject(1)])");
                self.line(depth, &format!("log.push(({settled}).map((one) => one.status));"));
            }
            4 => {
                self.racy = true;
                let calls = self.list();
                self.line(depth, &format!("log.push(await Promise.race([{calls}]));"));
            }
            5 => self.abort(depth),
            6 => {
                let ms = self.pick(3);
                let wait = format!("await new Promise((done) => setTimeout(done, {ms}));");
                self.line(depth, &format!("{wait} log.push(Date.now() % 1000, Math.random());"));
            }
            7 => {
                let name = format!("i{}", self.number());
                let times = 1 + self.pick(3);
                let head = format!("for (let {name} = 0; {name} < {times}; {name}++) {{");
                self.line(depth, &head);
                self.statement(depth + 1, nesting - 1);
                self.line(depth, "}");
            }
            8 => {
                self.line(depth, "try {");
                self.statement(depth + 1, nesting - 1);
                match self.pick(2) {
                    0 => self.line(depth + 1, "await mcp.t.fail({});"),
                    _ => self.line(depth + 1, "throw new TypeError('own');"),
                }
                self.line(depth, "} catch (error) {");
                self.line(depth + 1, "log.push(error.name, error.code);");
                self.statement(depth + 1, nesting - 1);
                self.line(depth, "} finally {");
                self.statement(depth + 1, nesting - 1);
                self.line(depth, "}");
            }
            _ => {
                // Nobody waits for it; at the end of the program it may be out, queued or answered.
                self.racy = true;
                let call = self.call();
                self.line(depth, &format!("{call}.then((x) => console.log(x));"));
            }
        }
    }

    fn abort(&mut self, depth: usize) {
        let name = format!("stop{}", self.number());
        let arguments = self.arguments();
        let tool = ["slow", "echo", "ask"][self.pick(3) as usize];
        self.line(depth, &format!("const {name} = new AbortController();"));
        let call = format!("mcp.t.{tool}({arguments}, {{ signal: {name}.signal }})");
        match self.pick(2) {
            0 => self.line(depth, &format!("queueMicrotask(() => {name}.abort());")),
            _ => {
                self.racy = true;
                self.line(depth, &format!("setTimeout(() => {name}.abort(), 1);"));
            }
        }
        self.line(depth, &format!("log.push(await {call}.then((x) => x.n, (e) => e.name));"));
    }
}
