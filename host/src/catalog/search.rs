//! Searches tools by words in their names, descriptions and parameters.
//!
//! Input: definitions once, then queries. Output: tools, the best first. A word scores higher if it
//! is rarer and if its field is more significant: a tool's name counts more than a sentence about
//! it. A tool need not match all words of a query.
//!
//! **Invariant:** the cost of a query depends only on the words that match it; long texts are cut
//! when the index is built.

use crate::model::{Definition, fold, words};
use rust_stemmers::{Algorithm, Stemmer};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The weight of a word in each field.
const NAME: f32 = 4.0;
const TITLE: f32 = 2.5;
const SERVER: f32 = 2.0;
const PARAMETER: f32 = 1.0;
const DESCRIPTION: f32 = 1.0;
/// The weight of a match with the beginning of a word, relative to the whole word.
const PREFIX: f32 = 0.5;
/// How quickly repetitions of the same word stop counting: a smaller value saturates earlier.
const SATURATION: f32 = 2.0;
/// Shortest beginning of a word that is searched, in bytes.
const SHORTEST: usize = 2;
/// Longest text read, in bytes.
const READ: usize = 4_000;
/// Most parameters read.
const PARAMETERS: usize = 100;
/// Most words of a query.
const QUERY: usize = 24;

/// A search index of tools.
#[derive(Debug)]
pub struct ToolIndex {
    tools: Vec<Arc<Definition>>,
    /// The tools that contain each word, by their index in `tools`, with the weight of the word
    /// there.
    words: BTreeMap<String, Vec<(u32, f32)>>,
    /// Folded spellings of `tool` and `server:tool`, without case and punctuation.
    names: HashMap<String, Vec<u32>>,
}

impl ToolIndex {
    /// Builds the index of the tools.
    pub fn new(definitions: impl IntoIterator<Item = Arc<Definition>>) -> ToolIndex {
        let mut tools: Vec<Arc<Definition>> = definitions.into_iter().collect();
        tools.sort_by(|one, other| one.tool.cmp(&other.tool));
        tools.dedup_by(|one, other| one.tool == other.tool);
        let mut index =
            ToolIndex { tools: Vec::new(), words: BTreeMap::new(), names: HashMap::new() };
        for (position, definition) in tools.iter().enumerate() {
            let position = u32::try_from(position).unwrap_or(u32::MAX);
            for (word, weight) in weights(definition) {
                index.words.entry(word).or_default().push((position, weight));
            }
            for name in [definition.tool.tool(), definition.tool.as_str()] {
                index.names.entry(fold(name)).or_default().push(position);
            }
        }
        index.tools = tools;
        index
    }

    /// Returns the tools that match a query, the best first. A query without words returns all
    /// tools by name.
    pub fn search(&self, query: &str) -> Vec<&Arc<Definition>> {
        let mut wanted: Vec<String> = Vec::new();
        for word in words(query).into_iter().map(stem).take(QUERY) {
            if !wanted.contains(&word) {
                wanted.push(word);
            }
        }
        if wanted.is_empty() {
            return self.tools.iter().collect();
        }
        let mut scores: HashMap<u32, Score> = HashMap::new();
        for word in &wanted {
            let mut best: HashMap<u32, f32> = HashMap::new();
            for (found, positions) in self.matching(word) {
                let part = if found == word { 1.0 } else { PREFIX };
                let rarity = self.rarity(positions.len()) * part;
                for (position, weight) in positions {
                    let score = rarity * weight / (weight + SATURATION);
                    let slot = best.entry(*position).or_default();
                    *slot = slot.max(score);
                }
            }
            for (position, score) in best {
                let slot = scores.entry(position).or_default();
                slot.sum += score;
                slot.words += 1;
            }
        }
        for position in self.names.get(&fold(query)).into_iter().flatten() {
            scores.entry(*position).or_default().exact = true;
        }
        let mut ranked: Vec<(f32, bool, u32)> = scores
            .into_iter()
            .map(|(position, score)| (score.total(wanted.len()), score.exact, position))
            .collect();
        ranked.sort_by(|one, other| {
            other.1.cmp(&one.1).then(other.0.total_cmp(&one.0)).then(one.2.cmp(&other.2))
        });
        ranked
            .into_iter()
            .filter_map(|(_, _, position)| self.tools.get(position as usize))
            .collect()
    }

    /// Returns the number of tools.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Reports whether there are no tools.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Returns the indexed words that equal `word` or begin with it.
    fn matching<'i>(
        &'i self,
        word: &'i str,
    ) -> impl Iterator<Item = (&'i String, &'i Vec<(u32, f32)>)> {
        let prefix = word.len() >= SHORTEST;
        self.words
            .range(word.to_owned()..)
            .take_while(move |(found, _)| found.starts_with(word))
            .take_while(move |(found, _)| prefix || found.as_str() == word)
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of tools are small")]
    fn rarity(&self, count: usize) -> f32 {
        let (all, count) = (self.tools.len() as f32, count as f32);
        (1.0 + (all - count + 0.5) / (count + 0.5)).ln()
    }
}

#[derive(Default)]
struct Score {
    sum: f32,
    words: usize,
    exact: bool,
}

impl Score {
    /// Returns the total score. A tool that matches all words ranks before one that matches some of
    /// them often.
    #[expect(clippy::cast_precision_loss, reason = "a query has few words")]
    fn total(&self, wanted: usize) -> f32 {
        self.sum * (0.5 + 0.5 * self.words as f32 / wanted as f32)
    }
}

fn weights(definition: &Definition) -> HashMap<String, f32> {
    let mut weights: HashMap<String, f32> = HashMap::new();
    let mut add = |text: &str, weight: f32| {
        for word in words(text) {
            *weights.entry(stem(word)).or_default() += weight;
        }
    };
    add(definition.tool.tool(), NAME);
    add(definition.tool.server(), SERVER);
    add(definition.title.as_deref().map_or("", cut_to_limit), TITLE);
    add(cut_to_limit(&definition.description), DESCRIPTION);
    let parameters = definition.input.get("properties").and_then(|it| it.as_object());
    for (name, _) in parameters.into_iter().flatten().take(PARAMETERS) {
        add(cut_to_limit(name), PARAMETER);
    }
    weights
}

fn cut_to_limit(text: &str) -> &str {
    let mut end = text.len().min(READ);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Returns the stem of a word: `issues` and `issue` have the same, and so have `searching`,
/// `searched` and `search`. Words of languages other than English mostly stay unchanged.
fn stem(word: &str) -> String {
    Stemmer::create(Algorithm::English).stem(&word.to_lowercase()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{ToolIndex, stem};
    use crate::model::Definition;
    use serde_json::json;
    use std::sync::Arc;

    fn tool(name: &str, about: &str, parameters: &[&str]) -> Arc<Definition> {
        let properties: serde_json::Map<_, _> =
            parameters.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
        let input = json!({ "type": "object", "properties": properties });
        Arc::new(Definition::new(name.parse().expect("a tool"), about, input))
    }

    fn index() -> ToolIndex {
        ToolIndex::new([
            tool("github:search_issues", "Finds issues and pull requests.", &["query", "page"]),
            tool("github:createIssue", "Opens a new issue.", &["title", "body"]),
            tool("github:list-repositories", "Lists the repositories of a user.", &["user"]),
            tool("fs:read_text_file", "Reads a file as text.", &["path"]),
            tool("fs:write_file", "Writes a file; creates it if needed.", &["path", "content"]),
            tool("time:get_current_time", "Tells the time in a zone.", &["timezone"]),
        ])
    }

    fn found(query: &str) -> Vec<String> {
        index().search(query).iter().map(|it| it.tool.to_string()).collect()
    }

    #[test]
    fn an_empty_query_lists_all_by_name() {
        assert_eq!(found("").len(), 6);
        assert_eq!(found(" -?! ")[0], "fs:read_text_file");
    }

    #[test]
    fn words_are_found_in_any_spelling_and_form() {
        assert_eq!(found("search issue")[0], "github:search_issues");
        assert_eq!(found("issueSearching")[0], "github:search_issues");
        assert_eq!(found("creating issues")[0], "github:createIssue");
        assert_eq!(found("repository")[0], "github:list-repositories");
        assert_eq!(found("REPOS")[0], "github:list-repositories");
        assert_eq!(found("timezone")[0], "time:get_current_time");
    }

    #[test]
    fn a_name_says_more_than_a_sentence_and_more_words_more_than_one() {
        assert_eq!(found("file")[..2], ["fs:read_text_file", "fs:write_file"]);
        assert_eq!(found("write content file")[0], "fs:write_file");
        assert_eq!(found("github issue")[0], "github:createIssue");
        assert_eq!(found("read the whole internet please")[0], "fs:read_text_file");
    }

    #[test]
    fn a_name_in_full_comes_first() {
        assert_eq!(found("fs:write_file")[0], "fs:write_file");
        assert_eq!(found("createIssue")[0], "github:createIssue");
        assert_eq!(found("create_issue")[0], "github:createIssue");
    }

    #[test]
    fn what_nobody_has_is_not_found() {
        assert!(found("kubernetes").is_empty());
    }

    #[test]
    fn words_lose_their_endings() {
        for (word, expected) in [
            ("issues", "issu"),
            ("issue", "issu"),
            ("searching", "search"),
            ("repositories", "repositori"),
            ("repository", "repositori"),
            ("boxes", "box"),
            ("status", "status"),
            ("files", "file"),
            ("created", "creat"),
            ("create", "creat"),
            ("classes", "class"),
        ] {
            assert_eq!(stem(word), expected, "{word}");
        }
    }

    #[test]
    fn long_texts_are_cut_at_a_character() {
        let long = ToolIndex::new([tool("a:b", &"ü".repeat(100_000), &[])]);
        assert_eq!((long.search("b").len(), long.len()), (1, 1));
    }
}
