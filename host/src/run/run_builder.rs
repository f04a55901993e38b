//! A run before it starts: what to run, with what.

use super::drive::Drive;
use super::{Engine, Outcome, failure};
use crate::error::Error;
use crate::event::EventSink;
use crate::model::{Code, RunId};
use crate::router::{Router, Tools};
use crate::sandbox::Begin;
use crate::source::{Program, Script, SourceError};
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::{fmt, sync::Arc};

/// Sources up to this size are parsed where they are; a larger one could hold up other runs for longer than a time slice
/// or two, and gets a thread.
const PARSE_INLINE: usize = 4 << 10;

/// One run of a program. It starts when it is awaited, inside a tokio runtime, and is cancelled when it is dropped.
#[must_use = "a run starts when it is awaited"]
pub struct Run {
    engine: Engine,
    script: Script,
    id: RunId,
    inputs: Value,
    seed: Option<[u8; 32]>,
    tools: Arc<dyn Tools>,
    events: Arc<dyn EventSink>,
    recorded: bool,
}

impl Run {
    pub(super) fn new(engine: Engine, script: Script) -> Run {
        Run {
            engine,
            script,
            id: RunId::new(),
            inputs: Value::Object(serde_json::Map::new()),
            seed: None,
            tools: Arc::new(()),
            events: Arc::new(()),
            recorded: false,
        }
    }

    /// Returns the id of this run.
    pub fn id(&self) -> RunId {
        self.id
    }

    /// Gives the program its `inputs`. Without this they are `{}`.
    pub fn inputs(mut self, inputs: Value) -> Run {
        self.inputs = inputs;
        self
    }

    /// Gives the program its random numbers. Without this they come from the OS.
    pub fn seed(mut self, seed: [u8; 32]) -> Run {
        self.seed = Some(seed);
        self
    }

    /// Gives the program its tools. Which of them it may call, [`Config::allow_tool`](crate::Config::allow_tool) says.
    pub fn tools(mut self, tools: impl Tools) -> Run {
        self.tools = Arc::new(tools);
        self
    }

    /// Tells `sink` what happens, as it happens.
    pub fn events(mut self, sink: impl EventSink + 'static) -> Run {
        self.events = Arc::new(sink);
        self
    }

    /// Keeps every step, so that [`Engine::replay`] can run it again.
    pub fn recorded(mut self) -> Run {
        self.recorded = true;
        self
    }

    async fn go(self) -> Result<Outcome, Error> {
        let limits = self.engine.settings.limits.clone();
        let program = match self.load(limits.source).await? {
            Ok(program) => program,
            Err(error) => return Ok(Outcome::refused(self.id, failure::of_source(&error)?)),
        };
        let inputs = self.inputs.to_string();
        if inputs.len() > limits.inputs {
            let message = format!(
                "the inputs are {} bytes of JSON, the limit is {}",
                inputs.len(),
                limits.inputs
            );
            return Ok(Outcome::refused(self.id, failure::plain(Code::InputSize, message)));
        }
        let seed = match self.seed {
            Some(seed) => seed,
            None => {
                let mut seed = [0; 32];
                getrandom::fill(&mut seed).map_err(|error| {
                    Error::new(Code::Internal, "the OS gives no random numbers").with_source(error)
                })?;
                seed
            }
        };
        let begin = Begin { modules: modules(&program), inputs, seed };
        let router = Router::new(self.engine.settings.allow.clone(), self.tools);
        let drive =
            Drive::new(self.id, limits, self.engine.settings.clock.clone(), router, self.events);
        drive.run(self.engine.machine, program, begin, self.recorded).await
    }

    async fn load(&self, limit: usize) -> Result<Result<Program, SourceError>, Error> {
        if self.script.length().is_some_and(|length| length <= PARSE_INLINE) {
            return Ok(self.script.load(limit));
        }
        let script = self.script.clone();
        tokio::task::spawn_blocking(move || script.load(limit))
            .await
            .map_err(|error| Error::new(Code::Internal, "the parser failed").with_source(error))
    }
}

fn modules(program: &Program) -> Vec<crate::sandbox::Module> {
    let modules = program.modules.iter().map(|module| crate::sandbox::Module {
        name: module.name.clone(),
        code: module.code.clone(),
        first_line: module.first_line,
        imports: module.imports.clone(),
    });
    modules.collect()
}

impl IntoFuture for Run {
    type Output = Result<Outcome, Error>;
    type IntoFuture = BoxFuture<'static, Result<Outcome, Error>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.go())
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("id", &self.id).finish_non_exhaustive()
    }
}
