//! Shapes of observed results, for tools whose servers give no output schema: `.pml/observed.json`.
//!
//! Input: results. Output: schemas. Recording a result costs a walk over it and no disk access;
//! [`ObservedResults::flush`] writes the file. Several processes may share the file: each joins its
//! own observations with those in the file, under a lock, and replaces the whole file.
//!
//! **Invariant:** the file stores shapes, never values. A shape belongs to one definition of its
//! tool: another definition starts anew. **Invariant:** the file is bounded, and reading it is safe
//! whatever its content: a file that cannot be understood counts as empty, since everything in it
//! can be observed again.

use crate::catalog::value_shape::ValueShape;
use crate::disk;
use crate::error::Error;
use crate::model::WriteDurability;
use crate::model::{Code, Definition, ToolName};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

const FILE: &str = "observed.json";
const LOCK: &str = "observed.lock";
/// The format version of the file. A file of another version counts as empty.
const VERSION: u32 = 1;
/// Most tools stored.
const TOOLS: usize = 2_000;
/// Largest shape stored, in bytes of JSON.
const SHAPE: usize = 16 << 10;
/// Most parts of a shape: more never fit into that size.
const PARTS: usize = 1_000;
/// Largest file read, in bytes.
const SIZE: u64 = 48 << 20;
/// After this many results, only every sixteenth is inspected: the shape is known by then.
const KNOWN_AFTER: u32 = 64;

/// The shapes of observed results, by tool.
#[derive(Debug)]
pub struct ObservedResults {
    folder: PathBuf,
    observations: Mutex<ObservationTable>,
}

/// A schema that was inferred from results.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct InferredSchema {
    /// The JSON Schema.
    pub schema: Value,
    /// The number of results it was inferred from.
    pub results: u32,
}

#[derive(Debug, Default)]
struct ObservationTable {
    tools: BTreeMap<ToolName, ToolObservation>,
    changed: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct ToolObservation {
    /// Digest of the tool's definition.
    definition: String,
    results: u32,
    shape: ValueShape,
}

#[derive(Serialize, Deserialize)]
struct ObservationFile {
    version: u32,
    tools: BTreeMap<ToolName, ToolObservation>,
}

impl ObservedResults {
    /// Reads the observations in a project's `.pml` folder, which need not exist.
    pub fn open(folder: impl Into<PathBuf>) -> ObservedResults {
        let folder = folder.into();
        let tools = read(&folder.join(FILE));
        ObservedResults {
            folder,
            observations: Mutex::new(ObservationTable { tools, changed: false }),
        }
    }

    /// Reports whether a result of a tool is to be inspected. A result that is not is only counted,
    /// and need not be parsed for this.
    pub(crate) fn should_inspect(&self, tool: &ToolName, definition: &str) -> bool {
        let mut observations = self.observations();
        let observation = observations
            .tools
            .get_mut(tool)
            .filter(|observation| observation.definition == definition);
        let Some(observation) = observation else { return true };
        let next = observation.results.saturating_add(1);
        let wanted = next <= KNOWN_AFTER || next.is_multiple_of(16);
        if !wanted {
            observation.results = next;
        }
        wanted
    }

    /// Records the shape of a result of a tool, whose definition has this digest. Does not write
    /// the file.
    pub fn record(&self, tool: &ToolName, definition: &str, result: &Value) {
        let mut observations = self.observations();
        let observations = &mut *observations;
        if !observations.tools.contains_key(tool) && observations.tools.len() >= TOOLS {
            return;
        }
        let observation = observations
            .tools
            .entry(tool.clone())
            .or_insert_with(|| ToolObservation::new(definition));
        if observation.definition != definition {
            *observation = ToolObservation::new(definition);
        }
        observation.results = observation.results.saturating_add(1);
        if observation.results > KNOWN_AFTER && !observation.results.is_multiple_of(16) {
            return;
        }
        // Most results have the same shape as earlier ones: the lock is held briefly, and the file
        // is not written for them.
        let before = observation.shape.clone();
        observation.shape.join(ValueShape::of(result));
        observation.limit_size();
        observations.changed |=
            observation.shape != before || observation.results.is_power_of_two();
    }

    /// Returns the schema inferred from the results of a tool, or `None` if no results of this
    /// definition were observed.
    pub fn inferred_schema(&self, definition: &Definition) -> Option<InferredSchema> {
        let observations = self.observations();
        let observation = observations.tools.get(&definition.tool)?;
        let current = observation.definition == definition.digest();
        current.then(|| InferredSchema {
            schema: observation.shape.schema(),
            results: observation.results,
        })
    }

    /// Writes the changes, joined with the observations that other processes have written
    /// meanwhile. Writes no file if the project's folder does not exist.
    ///
    /// # Errors
    /// Fails if the folder cannot be written to.
    pub fn flush(&self) -> Result<(), Error> {
        let mut observations = self.observations();
        if !observations.changed || !disk::is_own_folder(&self.folder) {
            return Ok(());
        }
        let path = self.folder.join(FILE);
        let tools = write(&self.folder, &path, &observations.tools).map_err(|error| {
            let message = format!("cannot write observed results: {}", path.display());
            Error::new(Code::Config, message).with_source(error)
        })?;
        *observations = ObservationTable { tools, changed: false };
        Ok(())
    }

    fn observations(&self) -> MutexGuard<'_, ObservationTable> {
        self.observations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ToolObservation {
    fn new(definition: &str) -> ToolObservation {
        ToolObservation { definition: definition.into(), results: 0, shape: ValueShape::default() }
    }

    fn join(&mut self, other: ToolObservation) {
        // The observation in memory is newer than the one on disk: with another definition, the
        // tool has changed.
        if self.definition == other.definition {
            self.shape.join(other.shape);
            self.results = self.results.max(other.results);
            self.limit_size();
        }
    }

    fn limit_size(&mut self) {
        let fits = |shape: &ValueShape| {
            shape.parts() <= PARTS
                && serde_json::to_string(shape).is_ok_and(|text| text.len() <= SHAPE)
        };
        let mut depth: usize = 6;
        while self.shape.parts() > 100 && !fits(&self.shape) {
            self.shape.prune(depth);
            depth = depth.saturating_sub(1);
        }
    }
}

fn read(path: &Path) -> BTreeMap<ToolName, ToolObservation> {
    let content = disk::read(path, SIZE).ok();
    let content = content.and_then(|bytes| serde_json::from_slice::<ObservationFile>(&bytes).ok());
    let mut tools = match content {
        Some(ObservationFile { version: VERSION, tools }) => tools,
        _ => BTreeMap::new(),
    };
    while tools.len() > TOOLS {
        tools.pop_last();
    }
    tools.values_mut().for_each(ToolObservation::limit_size);
    tools
}

fn write(
    folder: &Path,
    path: &Path,
    ours: &BTreeMap<ToolName, ToolObservation>,
) -> io::Result<BTreeMap<ToolName, ToolObservation>> {
    let _lock = disk::lock(&folder.join(LOCK))?;
    let mut tools = ours.clone();
    for (tool, theirs) in read(path) {
        let has_space = tools.len() < TOOLS;
        match tools.entry(tool) {
            Entry::Occupied(mut observation) => observation.get_mut().join(theirs),
            Entry::Vacant(vacant) if has_space => {
                vacant.insert(theirs);
            }
            Entry::Vacant(_) => {}
        }
    }
    let content = ObservationFile { version: VERSION, tools };
    disk::replace(path, serde_json::to_string(&content)?.as_bytes(), WriteDurability::Process)?;
    Ok(content.tools)
}

#[cfg(test)]
mod tests {
    use super::{FILE, ObservedResults};
    use crate::model::Definition;
    use serde_json::json;

    fn definition(name: &str) -> Definition {
        Definition::new(name.parse().expect("a tool"), "", json!({ "type": "object" }))
    }

    #[test]
    fn what_was_seen_is_there_again_and_only_for_that_definition() {
        let folder = tempfile::tempdir().expect("a folder");
        let tool = definition("fs:stat");
        std::fs::create_dir(folder.path().join(".pml")).expect("a folder");
        let observed = ObservedResults::open(folder.path().join(".pml"));
        assert_eq!(observed.inferred_schema(&tool), None);
        observed.record(&tool.tool, &tool.digest(), &json!({ "size": 1 }));
        observed.record(&tool.tool, &tool.digest(), &json!({ "size": 2, "link": "x" }));
        observed.flush().expect("written");

        let again = ObservedResults::open(folder.path().join(".pml"));
        let inferred = again.inferred_schema(&tool).expect("a shape");
        assert_eq!(inferred.results, 2);
        assert_eq!(inferred.schema["required"], json!(["size"]));
        let mut changed = tool.clone();
        changed.description.push('!');
        assert_eq!(again.inferred_schema(&changed), None);
    }

    #[test]
    fn no_folder_is_made_for_it_and_one_that_comes_later_is_written_to() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = parent.path().join(".pml");
        let (observed, tool) = (ObservedResults::open(&folder), definition("a:x"));
        observed.record(&tool.tool, &tool.digest(), &json!(1));
        observed.flush().expect("nothing to write to");
        assert!(!folder.exists());
        std::fs::create_dir(&folder).expect("a folder");
        observed.flush().expect("written");
        assert!(ObservedResults::open(&folder).inferred_schema(&tool).is_some());
    }

    #[test]
    fn two_that_write_lose_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, other) =
            (ObservedResults::open(folder.path()), ObservedResults::open(folder.path()));
        let tools = [definition("a:x"), definition("a:y"), definition("a:both")];
        let note = |observed: &ObservedResults, tool: &Definition, value| {
            observed.record(&tool.tool, &tool.digest(), &value);
        };
        note(&one, &tools[0], json!({ "x": 1 }));
        note(&one, &tools[2], json!({ "x": 1 }));
        note(&other, &tools[1], json!([true]));
        note(&other, &tools[2], json!({ "y": "z" }));
        std::thread::scope(|scope| {
            scope.spawn(|| one.flush().expect("written"));
            scope.spawn(|| other.flush().expect("written"));
        });
        let all = ObservedResults::open(folder.path());
        assert!(tools.iter().all(|tool| all.inferred_schema(tool).is_some()));
        let both = all.inferred_schema(&tools[2]).expect("a shape").schema;
        assert_eq!(both.get("required"), None);
        assert_eq!(both["properties"].as_object().map(serde_json::Map::len), Some(2));
    }

    #[test]
    fn what_is_known_already_is_not_written_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let (observed, tool) = (ObservedResults::open(folder.path()), definition("a:x"));
        let note = || observed.record(&tool.tool, &tool.digest(), &json!({ "x": 1 }));
        (0..4).for_each(|_| note());
        observed.flush().expect("written");
        std::fs::remove_file(folder.path().join(FILE)).expect("it was there");
        note();
        observed.flush().expect("nothing to write");
        assert!(!folder.path().join(FILE).exists());
    }

    #[test]
    fn a_damaged_file_counts_as_nothing_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let tool = definition("a:x");
        for text in
            ["", "{", "[]", r#"{"version":99,"tools":{}}"#, r#"{"version":1,"tools":{"x":1}}"#]
        {
            std::fs::write(folder.path().join(FILE), text).expect("written");
            let observed = ObservedResults::open(folder.path());
            assert_eq!(observed.inferred_schema(&tool), None);
            observed.record(&tool.tool, &tool.digest(), &json!(1));
            observed.flush().expect("written over");
            assert!(ObservedResults::open(folder.path()).inferred_schema(&tool).is_some());
        }
    }

    #[test]
    fn huge_results_stay_small() {
        let folder = tempfile::tempdir().expect("a folder");
        let (observed, tool) = (ObservedResults::open(folder.path()), definition("a:x"));
        for round in 0..40 {
            let letters = |n: usize| {
                let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).expect("small"));
                format!("{}{}{}", letter(round), letter(n), letter(n / 26))
            };
            let object = |depth: usize| {
                let mut value = json!(1);
                for _ in 0..depth {
                    value = (0..40).map(|n| (letters(n), value.clone())).collect();
                }
                value
            };
            observed.record(&tool.tool, &tool.digest(), &object(2));
        }
        observed.flush().expect("written");
        let size = std::fs::metadata(folder.path().join(FILE)).expect("a file").len();
        assert!(size < 20 << 10, "{size}");
        assert!(ObservedResults::open(folder.path()).inferred_schema(&tool).is_some());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_and_others_read_nothing() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().expect("a folder");
        let tool = definition("a:x");
        let elsewhere = folder.path().join("elsewhere");
        std::fs::create_dir(folder.path().join("one")).expect("a folder");
        let observed = ObservedResults::open(folder.path().join("one"));
        observed.record(&tool.tool, &tool.digest(), &json!(1));
        observed.flush().expect("written");
        std::fs::rename(folder.path().join("one").join(FILE), &elsewhere).expect("moved");
        symlink(&elsewhere, folder.path().join("one").join(FILE)).expect("a link");
        let before = std::fs::read(&elsewhere).expect("a file");

        let observed = ObservedResults::open(folder.path().join("one"));
        assert_eq!(observed.inferred_schema(&tool), None);
        observed.record(&tool.tool, &tool.digest(), &json!("x"));
        observed.flush().expect("written");
        assert_eq!(std::fs::read(&elsewhere).expect("a file"), before);
        let file = folder.path().join("one").join(FILE);
        let metadata = std::fs::symlink_metadata(file).expect("a file");
        assert!(metadata.is_file());
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    }
}
