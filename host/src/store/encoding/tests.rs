//! Tests that decoding reverses encoding, and that the stored form does not change.

use super::{DecodedEntry, EncodedDecision, EncodedEntry, EncodedHeader};
use super::{decode_question, encode_question};
use crate::model::{AskId, Decision, QuestionId, RecordedDecision, RunId, Timestamp};
use crate::store::tests::sample::{every_kind, header, question};
use crate::store::{JournalEntry, JournalEvent};
use serde_json::json;

fn decoded(entry: &JournalEntry) -> JournalEntry {
    match EncodedEntry::of(entry).decode().unwrap() {
        DecodedEntry::Whole(entry) => entry,
        DecodedEntry::Asked(asked) => {
            let JournalEvent::Asked { question } = &entry.event else { panic!("a question") };
            assert_eq!(asked.question, question.id);
            asked.with_question(Some(question.clone())).unwrap()
        }
    }
}

#[test]
fn every_entry_reads_back_as_it_was() {
    for entry in every_kind(RunId::new()) {
        assert_eq!(decoded(&entry), entry);
    }
}

#[test]
fn headers_questions_and_decisions_read_back_as_they_were() {
    let header = header("a");
    assert_eq!(EncodedHeader::of(&header).decode(header.run), Ok(header.clone()));
    let asked = question(header.run, Some(9));
    assert_eq!(decode_question(&encode_question(&asked), asked.id, header.run), Ok(asked.clone()));
    for decision in [Decision::Replan, Decision::Result(json!({ "z": 0.1, "a": null }))] {
        let at = Timestamp(u64::MAX);
        let decided = RecordedDecision::new(asked.id, AskId(2), decision, "ann", "x", at)
            .with_digest(Some("d".into()));
        assert_eq!(EncodedDecision::of(&decided).decode(asked.id), Ok(decided));
    }
}

#[test]
fn the_database_says_which_question_it_is_and_of_which_run() {
    let text = encode_question(&question(RunId::new(), None));
    let (id, run) = (QuestionId::new(), RunId::new());
    let read = decode_question(&text, id, run).unwrap();
    assert_eq!((read.id, read.run), (id, run));
}

#[test]
fn an_entry_that_lacks_something_says_what() {
    let entries = every_kind(RunId::new());
    let first = EncodedEntry::of(&entries[0]);
    let bare = |kind| EncodedEntry { kind, call: None, meta: None, text: None, ..first.clone() };
    for (kind, wrong) in [
        ("settled", "an entry `settled` without its call"),
        ("ended", "an entry `ended` without its text"),
        ("asked", "an entry `asked` without its text"),
        ("resumed", "an entry `resumed` without its version"),
        ("x\u{1b}", "an entry of an unknown kind, `x\\u{1b}`"),
    ] {
        assert_eq!(bare(kind).decode(), Err(wrong.into()));
    }
    // Entries of journals up to format 2 hold the whole question.
    let asked = question(RunId::new(), None);
    let old = EncodedEntry { text: Some(encode_question(&asked).into()), ..bare("asked") };
    let Ok(DecodedEntry::Asked(read)) = old.decode() else { panic!("an old entry") };
    assert_eq!(read.question, asked.id);
    assert!(read.with_question(None).unwrap_err().ends_with(&format!("question `{}`", asked.id)));
}

#[test]
fn an_installation_of_an_older_journal_lasted_until_its_call_was_sent() {
    let entries = every_kind(RunId::new());
    let sent = entries.iter().find(|entry| matches!(entry.event, JournalEvent::Executing { .. }));
    let sent = sent.expect("a call that was sent");
    let meta = r#"{"tool":"a:b","installed":true}"#;
    let older = EncodedEntry { meta: Some(meta.into()), ..EncodedEntry::of(sent) };
    let Ok(DecodedEntry::Whole(read)) = older.decode() else { panic!("an entry") };
    let JournalEvent::Executing { installed_at, .. } = read.event else { panic!("a sent call") };
    assert_eq!(installed_at, Some(sent.at));
}
