//! Tests that a question is stored once, and that all readers get this one.

use super::open;
use crate::model::{Answer, Decision, Question, QuestionId, RunId, Timestamp};
use crate::store::tests::sample::{asking, header, question};
use crate::store::{AnswerOutcome, Journal, JournalEvent, Store, StoreError, StoredRun};
use rusqlite::Connection;
use serde_json::json;
use std::path::Path;

const NOW: Timestamp = Timestamp(4_000);

async fn asked(store: &Store) -> Question {
    let lease = store.create(header("a")).await.unwrap();
    let question = question(lease.run, None);
    store.append(&lease, asking(&question)).await.unwrap();
    question
}

fn connect(folder: &Path) -> Connection {
    Connection::open(folder.join("state.db")).unwrap()
}

fn of(stored: &StoredRun) -> Vec<Question> {
    let asked = stored.entries.iter().filter_map(|entry| match &entry.event {
        JournalEvent::Asked { question } => Some(question.clone()),
        _ => None,
    });
    asked.collect()
}

#[tokio::test]
async fn the_entry_names_the_question_and_holds_no_copy() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let question = asked(&store).await;
    let connection = connect(folder.path());
    let sql = "SELECT text, meta FROM entries WHERE kind = 'asked'";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let (text, meta): (String, Option<String>) = connection.query_row(sql, [], read).unwrap();
    assert_eq!((text, meta), (question.id.to_string(), None));
    assert_eq!(of(&store.load(question.run).await.unwrap()), [question]);
}

#[tokio::test]
async fn of_the_copy_in_an_older_journal_only_the_id_counts() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let question = asked(&store).await;
    let mut copy = question.clone();
    copy.asks[0].arguments = json!({ "another": true });
    let sql = "UPDATE entries SET text = ?1 WHERE kind = 'asked'";
    let text = serde_json::to_string(&copy).unwrap();
    assert_eq!(connect(folder.path()).execute(sql, [text]).unwrap(), 1);
    assert_eq!(of(&store.load(question.run).await.unwrap()), [question]);
}

#[tokio::test]
async fn an_entry_without_its_question_is_damage() {
    for sql in [
        "DELETE FROM questions",
        "UPDATE questions SET run = run + 1",
        "UPDATE entries SET text = 'x' WHERE kind = 'asked'",
        "UPDATE entries SET text = NULL WHERE kind = 'asked'",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        let question = asked(&store).await;
        connect(folder.path()).execute_batch(sql).unwrap();
        let damaged = store.load(question.run).await.unwrap_err();
        assert!(matches!(damaged, StoreError::Damaged { .. }), "{sql}: {damaged:?}");
    }
}

#[tokio::test]
async fn a_body_that_says_it_is_another_question_is_what_the_table_says() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let question = asked(&store).await;
    let other = Question { id: QuestionId::new(), run: RunId::new(), ..question.clone() };
    let sql = "UPDATE questions SET body = ?1";
    connect(folder.path()).execute(sql, [serde_json::to_string(&other).unwrap()]).unwrap();
    let read = store.question(question.id, NOW).await.unwrap().unwrap();
    assert_eq!(read.question, question);
    assert_eq!(store.questions(None, NOW).await.unwrap()[0].question, question);
    assert_eq!(of(&store.load(question.run).await.unwrap()), [question]);
}

#[tokio::test]
async fn a_decision_of_before_has_no_digest_and_the_first_still_counts() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let question = asked(&store).await;
    let sql = "INSERT INTO decisions (question, ask, decision, who, channel, at) \
               SELECT number, 1, '\"approve\"', 'ann', 'terminal', 3500 FROM questions";
    connect(folder.path()).execute(sql, []).unwrap();
    let decided = store.decisions(question.run).await.unwrap();
    assert_eq!((decided.len(), &decided[0].digest), (1, &None));
    assert!(!decided[0].is_about(&question.asks[0]));
    let yes = Answer::all(&question, Decision::Decline, "bob", "terminal");
    let answered = store.answer(question.id, yes, NOW).await.unwrap();
    assert!(matches!(answered, AnswerOutcome::Recorded { open: 0, .. }));
    let decided = store.decisions(question.run).await.unwrap();
    assert_eq!((decided.len(), decided[1].is_about(&question.asks[1])), (2, true));
}
