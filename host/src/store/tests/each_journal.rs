//! Runs a test on every implementation of a journal.

/// Makes a test of each function for each journal.
macro_rules! on_each_journal {
    ($($name:ident),* $(,)?) => {
        mod memory {
            $(#[tokio::test]
            async fn $name() {
                super::$name(&crate::store::MemoryJournal::new()).await;
            })*
        }

        mod file {
            $(#[tokio::test]
            async fn $name() {
                let folder = tempfile::tempdir().unwrap();
                let durability = crate::store::Durability::Process;
                let store = crate::store::Store::open(folder.path().join(".pml"), durability).unwrap();
                super::$name(&store).await;
            })*
        }
    };
}
pub(super) use on_each_journal;
