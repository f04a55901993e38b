//! Checks arguments against the schema of their tool before they are sent to its server.

use crate::catalog::ArgumentValidator;
use crate::model::{CallError, Code};
use crate::upstream::ListedTool;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of compiled schemas in memory.
const MAX_COMPILED: usize = 2_000;

/// Compiled schemas, by the digest of their tool's definition. If a schema cannot be compiled, only
/// its server checks arguments.
#[derive(Default)]
pub(crate) struct ValidatorCache {
    compiled: Mutex<HashMap<Arc<str>, Option<Arc<ArgumentValidator>>>>,
}

impl ValidatorCache {
    /// Checks arguments.
    pub(crate) fn check(&self, tool: &ListedTool, arguments: &Value) -> Result<(), CallError> {
        let Some(validator) = self.validator(tool) else { return Ok(()) };
        let Err(wrong) = validator.check(arguments) else { return Ok(()) };
        let errors: Vec<String> = wrong.iter().map(ToString::to_string).collect();
        let name = &tool.definition.tool;
        let message = format!("the arguments of `{name}` are wrong: {}", errors.join("; "));
        Err(CallError::new(Code::Arguments, message))
    }

    fn validator(&self, tool: &ListedTool) -> Option<Arc<ArgumentValidator>> {
        let digest = &tool.origin.definition;
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = compiled.get(digest) {
            return known.clone();
        }
        let validator = ArgumentValidator::new(&tool.definition.input).ok().map(Arc::new);
        if compiled.len() >= MAX_COMPILED {
            compiled.clear();
        }
        compiled.insert(digest.clone(), validator.clone());
        validator
    }
}
