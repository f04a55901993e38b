//! What was told of a new run, made into what it starts with.

use super::checkpoint::Checkpoint;
use super::end::end;
use super::history::History;
use super::session::modules;
use super::{Ending, Engine, Outcome, failure};
use crate::error::Error;
use crate::model::{Code, RunId, Tenant};
use crate::sandbox::{Begin, GUEST_DIGEST};
use crate::source::{Program, Script, SourceError};
use crate::store::{FORMAT, Header};
use serde_json::Value;

/// Sources up to this size are parsed where they are; a larger one could hold up other runs for longer than a time slice
/// or two, and gets a thread.
const PARSE_INLINE: usize = 4 << 10;

/// What was told of a new run.
pub(super) struct Told {
    pub(super) script: Script,
    pub(super) inputs: Option<Value>,
    pub(super) seed: Option<[u8; 32]>,
    pub(super) resume_from: Option<RunId>,
    pub(super) tenant: Tenant,
    pub(super) trace: Option<String>,
}

/// A new run that is ready for a slot.
pub(super) struct Prepared {
    /// Its clock readings are to be brought up to date when it starts.
    pub(super) header: Header,
    pub(super) program: Program,
    pub(super) begin: Begin,
    pub(super) checkpoint: Option<Checkpoint>,
}

impl Told {
    pub(super) fn new(script: Script) -> Told {
        Told {
            script,
            inputs: None,
            seed: None,
            resume_from: None,
            tenant: Tenant::default(),
            trace: None,
        }
    }

    /// Loads the program and checks what it is given. A script that cannot run is an outcome already.
    pub(super) async fn prepare(
        self,
        engine: &Engine,
        run: RunId,
    ) -> Result<Result<Prepared, Box<Outcome>>, Error> {
        let limits = engine.settings.limits.clone();
        let refused = |failure| Ok(Err(Box::new(Outcome::new(run, Ending::Failed(failure)))));
        let program = match self.load(limits.source).await? {
            Ok(program) => program,
            Err(error) => return refused(failure::of_source(&error)?),
        };
        let given = self.inputs.as_ref().map(Value::to_string);
        if let Some(size) = given.as_ref().map(String::len).filter(|size| *size > limits.inputs) {
            let message =
                format!("the inputs are {size} bytes of JSON, the limit is {}", limits.inputs);
            return refused(failure::plain(Code::InputSize, message));
        }
        let earlier = match self.resume_from {
            Some(from) => {
                let message = format!("taken up by run {run}");
                Some(end(engine, from, message, "pml", "resume").await?)
            }
            None => None,
        };
        let earlier_header = earlier.as_ref().map(|stored| &stored.header);
        let inputs = given.or_else(|| earlier_header.map(|header| header.inputs.clone()));
        let inputs = inputs.unwrap_or_else(|| "{}".into());
        let seed = match self.seed.or(earlier_header.map(|header| header.seed)) {
            Some(seed) => seed,
            None => fresh_seed()?,
        };
        let now = engine.settings.clock.now();
        let started = earlier_header.map(|header| header.started);
        let checkpoint = match &earlier {
            Some(stored) => {
                let history = History::read(stored.entries.clone());
                Some(Checkpoint::of(&stored.header, &history).map_err(|error| {
                    Error::new(Code::Journal, "the earlier run's checkpoint cannot be read")
                        .with_source(error)
                })?)
            }
            None => None,
        };
        let (checkpoint, kept) = checkpoint.unzip();
        let header = Header {
            run,
            format: FORMAT,
            pml: env!("CARGO_PKG_VERSION").into(),
            guest: GUEST_DIGEST.into(),
            script: program.modules.first().map_or_else(String::new, |entry| entry.name.clone()),
            program: serde_json::to_string(&program).map_err(|error| {
                Error::new(Code::Internal, "the program cannot be written").with_source(error)
            })?,
            inputs: inputs.clone(),
            seed,
            created: now,
            started: started.unwrap_or(now),
            limits: limits.clone(),
            resumed_from: self.resume_from,
            checkpoint: kept,
            lock: None,
            trace: self.trace.unwrap_or_else(|| uuid::Uuid::new_v4().simple().to_string()),
            tenant: self.tenant,
        };
        let begin = Begin { modules: modules(&program), inputs, seed };
        Ok(Ok(Prepared { header, program, begin, checkpoint }))
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

fn fresh_seed() -> Result<[u8; 32], Error> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|error| {
        Error::new(Code::Internal, "the OS gives no random numbers").with_source(error)
    })?;
    Ok(seed)
}
