//! What an embedder brings: the tools themselves.

use crate::model::{Call, CallError, Code, Effects, Reply, ToolName};
use futures_util::future::BoxFuture;

/// Answers the calls of programs.
///
/// Calls of one run come in parallel. Dropping the future cancels the call: the program gave it up, or the run ended.
/// The future is polled by the run itself; work that holds a thread for long belongs in a task of its own.
///
/// ```
/// use pml::{Call, CallError, Reply, Tools, BoxFuture, json::json};
///
/// struct Echo;
///
/// impl Tools for Echo {
///     fn call(&self, call: Call) -> BoxFuture<'_, Reply> {
///         Box::pin(async move {
///             match call.tool.as_str() {
///                 "demo:echo" => Ok(call.arguments),
///                 other => Err(CallError::unknown(other)),
///             }
///         })
///     }
/// }
/// ```
pub trait Tools: Send + Sync + 'static {
    /// Carries out one call.
    fn call(&self, call: Call) -> BoxFuture<'_, Reply>;

    /// Returns what a call of this tool may do to the world. It decides whether a call that was out when its process
    /// died is made again without asking; a tool that says nothing is never repeated.
    fn effects(&self, tool: &ToolName) -> Effects {
        let _ = tool;
        Effects::Unknown
    }
}

impl CallError {
    /// Returns the answer to a call of a tool that does not exist.
    pub fn unknown(tool: &str) -> CallError {
        CallError::new(Code::ToolUnknown, format!("there is no tool `{tool}`"))
    }
}

/// No tools at all.
impl Tools for () {
    fn call(&self, call: Call) -> BoxFuture<'_, Reply> {
        Box::pin(async move { Err(CallError::unknown(call.tool.as_str())) })
    }
}

/// Makes tools of a function.
///
/// ```
/// let tools = pml::tools_from_fn(|call| async move { Ok(call.arguments) });
/// ```
pub fn tools_from_fn<F, R>(function: F) -> impl Tools
where
    F: Fn(Call) -> R + Send + Sync + 'static,
    R: Future<Output = Reply> + Send + 'static,
{
    struct Function<F>(F);

    impl<F, R> Tools for Function<F>
    where
        F: Fn(Call) -> R + Send + Sync + 'static,
        R: Future<Output = Reply> + Send + 'static,
    {
        fn call(&self, call: Call) -> BoxFuture<'_, Reply> {
            Box::pin((self.0)(call))
        }
    }

    Function(function)
}
