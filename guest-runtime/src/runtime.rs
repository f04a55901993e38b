//! The engine: made once before the snapshot is taken, then started and resumed.
//!
//! In flows a program or an outcome, out flows a step. Between the two, JavaScript runs until no job is left.
//!
//! **Invariant:** a step ends; what does not is stopped from outside, and the instance is thrown away.

use crate::apis::{self, entry};
use crate::bindings::exports::pml::sandbox::program::{
    Failure, FailureKind, Outcome, Program, State, Step,
};
use crate::text;
use crate::{calls, config, console, error, modules, modules::Modules, random, unhandled};
use rquickjs::{
    CatchResultExt, CaughtError, Context, Ctx, Function, Persistent, Promise, Result, Runtime,
    Value, object::Property, promise::PromiseState,
};
use std::cell::RefCell;

/// The engine of this instance.
pub(crate) struct Guest {
    context: Context,
    runtime: Runtime,
    modules: Modules,
    /// `(namespace, inputs, evaluated, is_body) → promise of the result`, from the prelude.
    enter: Persistent<Function<'static>>,
    /// `(function) → whether it is a class`, from the prelude.
    is_class: Persistent<Function<'static>>,
    result: Option<Persistent<Promise<'static>>>,
    result_limit: usize,
}

thread_local! {
    static GUEST: RefCell<Option<Guest>> = const { RefCell::new(None) };
}

/// Builds the engine and the prelude.
pub(crate) fn initialize() {
    GUEST.set(Some(Guest::new().expect("the prelude is our own and loads")));
}

/// Uses the engine.
pub(crate) fn with<T>(work: impl FnOnce(&mut Guest) -> T) -> T {
    GUEST.with_borrow_mut(|guest| work(guest.as_mut().expect("the snapshot holds an engine")))
}

impl Guest {
    fn new() -> Result<Guest> {
        let runtime = Runtime::new()?;
        runtime.set_max_stack_size(config::PRELUDE_STACK);
        runtime.set_gc_threshold(config::GC_THRESHOLD);
        let context = Context::custom::<config::Intrinsics>(&runtime)?;
        let modules = Modules::default();
        let (enter, is_class) = context.with(|ctx| -> Result<_> {
            let entry = apis::register(&ctx)?;
            modules.refuse_with(&ctx, entry.get("importError")?);
            let kept = |name: &str| -> Result<_> {
                Ok(Persistent::save(&ctx, entry.get::<_, Function>(name)?))
            };
            Ok((kept("enter")?, kept("isClass")?))
        })?;
        runtime.set_loader(modules.clone(), modules.clone());
        runtime.set_host_promise_rejection_tracker(Some(Box::new(unhandled::track)));
        runtime.set_interrupt_handler(Some(Box::new(|| {
            console::hand_over();
            false
        })));
        runtime.run_gc();
        Ok(Guest { context, runtime, modules, enter, is_class, result: None, result_limit: 0 })
    }

    /// Starts the program.
    pub(crate) fn start(&mut self, program: Program) -> Step {
        let mut seed = [0; 32];
        let given = program.seed.len().min(seed.len());
        seed[..given].copy_from_slice(&program.seed[..given]);
        random::seed(seed);
        calls::limit_arguments(program.arguments_limit as usize);
        console::allow(program.console_limit as usize);
        self.result_limit = program.result_limit as usize;
        self.runtime.set_max_stack_size(program.stack_limit as usize);
        let context = self.context.clone();
        context.with(|ctx| match self.begin(&ctx, program) {
            Ok(()) => self.turn(&ctx),
            Err(failure) => self.step(&ctx, State::Failed(failure)),
        })
    }

    /// Gives the program the outcome of a call.
    pub(crate) fn resume(&mut self, id: u64, outcome: Outcome) -> Step {
        let context = self.context.clone();
        context.with(|ctx| match calls::settle(&ctx, id, outcome).catch(&ctx) {
            Ok(()) => self.turn(&ctx),
            Err(caught) => {
                let failure = thrown(&ctx, caught);
                self.step(&ctx, State::Failed(failure))
            }
        })
    }

    fn begin(&mut self, ctx: &Ctx<'_>, program: Program) -> std::result::Result<(), Failure> {
        let entry = self.modules.fill(program.modules).ok_or_else(|| {
            error::own(FailureKind::Syntax, "the program has no module to start with")
        })?;
        let inputs = ctx.json_parse(program.inputs).and_then(|inputs| {
            let property = Property::from(inputs.clone()).writable().configurable();
            ctx.globals().prop("inputs", property)?;
            Ok(inputs)
        });
        let inputs = inputs.catch(ctx).map_err(|caught| thrown(ctx, caught))?;
        // The host's own line above the program's makes a function of its text.
        let is_body = entry.first_line == 0;
        let (namespace, evaluated) =
            modules::evaluate(ctx, entry).catch(ctx).map_err(|caught| {
                let failure = thrown(ctx, caught);
                match failure.kind {
                    FailureKind::Stack => failure,
                    _ => Failure { kind: FailureKind::Syntax, ..failure },
                }
            })?;
        let result = self
            .enter
            .clone()
            .restore(ctx)
            .and_then(|enter| enter.call::<_, Promise>((namespace, inputs, evaluated, is_body)))
            .catch(ctx)
            .map_err(|caught| thrown(ctx, caught))?;
        self.result = Some(Persistent::save(ctx, result));
        Ok(())
    }

    /// Runs jobs until none is left, and says where the program stands.
    fn turn<'js>(&mut self, ctx: &Ctx<'js>) -> Step {
        while ctx.execute_pending_job() {}
        let result = self.result.clone().map(|result| result.restore(ctx));
        let Some(Ok(result)) = result else {
            return self.step(ctx, State::Failed(error::own(FailureKind::Stalled, "not started")));
        };
        let state = match result.state() {
            PromiseState::Pending if calls::any() => State::Waiting,
            // Nobody asked for the value of the last expression, so nobody misses it.
            PromiseState::Pending if entry::has_last_expression() => State::Finished(None),
            PromiseState::Pending => State::Failed(error::own(
                FailureKind::Stalled,
                "the program waits for a promise that nothing can settle: no call and no timer is pending",
            )),
            PromiseState::Resolved => match result.result::<Value>() {
                Some(Ok(value)) => self.finish(ctx, value),
                _ => State::Failed(error::own(FailureKind::NotJson, "the result cannot be read")),
            },
            PromiseState::Rejected => {
                let _ = result.result::<Value>();
                State::Failed(error::failure(ctx, &ctx.catch()))
            }
        };
        self.step(ctx, state)
    }

    fn finish<'js>(&self, ctx: &Ctx<'js>, value: Value<'js>) -> State {
        if value.is_undefined() {
            return State::Finished(None);
        }
        let json = match ctx.json_stringify(value.clone()).catch(ctx) {
            Ok(Some(json)) => text::json(&json),
            // The program did not `return` it: its last expression had another purpose.
            Ok(None) | Err(_) if entry::has_last_expression() => return State::Finished(None),
            Ok(None) => return State::Failed(self.not_data(ctx, &value)),
            Err(caught) => {
                let failure = thrown(ctx, caught);
                let kind = match failure.kind {
                    FailureKind::Stack => FailureKind::Stack,
                    _ => FailureKind::NotJson,
                };
                let message = match kind {
                    FailureKind::NotJson => format!("the result is not JSON: {}", failure.message),
                    _ => failure.message,
                };
                return State::Failed(Failure { kind, message, ..failure });
            }
        };
        if json.len() > self.result_limit {
            let message = format!(
                "the result is {} bytes of JSON, the limit is {}",
                json.len(),
                self.result_limit
            );
            return State::Failed(error::own(FailureKind::ResultSize, message));
        }
        State::Finished(Some(json))
    }

    /// The failure of a program whose result is no data at all.
    fn not_data<'js>(&self, ctx: &Ctx<'js>, value: &Value<'js>) -> Failure {
        let is_class = self.is_class.clone().restore(ctx);
        let is_class = is_class.and_then(|is_class| is_class.call::<_, bool>((value.clone(),)));
        if !is_class.unwrap_or_default() {
            let kind = if value.is_function() { "function" } else { value.type_name() };
            let message = format!("the result is a {kind}, which JSON cannot hold");
            return error::own(FailureKind::NotJson, message);
        }
        let name = error::name_of(ctx, value).unwrap_or_default();
        let (named, instance) = match name.as_str() {
            "" | "default" => ("a class".into(), "new …()".into()),
            name => (format!("the class `{name}`"), format!("new {name}()")),
        };
        Failure {
            hint: Some(format!("give a function, a value, or an instance: `{instance}`")),
            ..error::own(
                FailureKind::NotJson,
                format!("the result is {named}, and a class is not a result"),
            )
        }
    }

    fn step(&self, ctx: &Ctx<'_>, state: State) -> Step {
        let mut unhandled = match state {
            State::Waiting => Vec::new(),
            _ => {
                let result = self.result.clone().and_then(|result| result.restore(ctx).ok());
                unhandled::take(ctx, result.as_ref().map(|result| result.as_value()))
            }
        };
        // An error that nobody handled is why a program failed, unless it says another reason itself. A program that waits
        // for ever mostly does so because of it.
        let is_outdone = match &state {
            State::Finished(_) => true,
            State::Failed(failure) => failure.kind == FailureKind::Stalled,
            State::Waiting => false,
        };
        let state = match is_outdone && !unhandled.is_empty() {
            true => State::Failed(unhandled.remove(0)),
            false => state,
        };
        Step { state, console: console::take(), unhandled, dropped_lines: console::dropped() }
    }
}

fn thrown<'js>(ctx: &Ctx<'js>, caught: CaughtError<'js>) -> Failure {
    match caught {
        CaughtError::Exception(exception) => error::failure(ctx, exception.as_value()),
        CaughtError::Value(value) => error::failure(ctx, &value),
        CaughtError::Error(cause) => error::own(FailureKind::Threw, cause.to_string()),
    }
}
