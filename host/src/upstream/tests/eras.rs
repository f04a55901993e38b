//! Both eras of MCP, and the cached era.

use super::{assert_works, fake, upstreams, with_cache};
use crate::model::ProtocolEra;
use crate::store::ServerCache;
use crate::upstream::{ServerState, Upstreams};

fn era(upstreams: &Upstreams) -> (Option<ProtocolEra>, Option<String>) {
    let status = upstreams.status().remove(0);
    assert_eq!(status.state, ServerState::Running);
    (status.era, status.protocol)
}

#[tokio::test]
async fn a_server_is_talked_to_as_it_wants() {
    for (mode, wanted, protocol) in [
        ("plain", ProtocolEra::Legacy, "2025-11-25"),
        ("old", ProtocolEra::Legacy, "2024-11-05"),
        ("modern", ProtocolEra::Modern, "2026-07-28"),
        ("modern-only", ProtocolEra::Modern, "2026-07-28"),
        ("silent", ProtocolEra::Legacy, "2025-11-25"),
        ("dies-of-discover", ProtocolEra::Legacy, "2025-11-25"),
    ] {
        let upstreams = upstreams(fake(mode));
        assert_works(&upstreams).await;
        assert_eq!(era(&upstreams), (Some(wanted), Some(protocol.into())), "{mode}");
        let status = upstreams.status().remove(0);
        assert_eq!(
            (status.title.as_deref(), status.version.as_deref()),
            (Some("fake"), Some("1.0"))
        );
        upstreams.close().await;
    }
}

#[tokio::test]
async fn the_era_and_the_tools_are_remembered() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = with_cache(fake("silent"), folder.path());
    assert!(first.cached_tools("fake").is_none());
    assert_works(&first).await;
    first.close().await;
    let cached = ServerCache::open(folder.path()).get("fake", &fake("silent").identity);
    assert_eq!(cached.expect("remembered").era, ProtocolEra::Legacy);
    let second = with_cache(fake("silent"), folder.path());
    let remembered = second.cached_tools("fake").expect("remembered");
    assert!(remembered.get("echo").is_some());
    assert!(second.current_tools("fake").is_none(), "it was not started");
    assert_eq!(second.status()[0].tool_count, Some(remembered.tools().len()));
    // Another launch line is another server.
    assert!(with_cache(fake("plain"), folder.path()).cached_tools("fake").is_none());
}

#[tokio::test]
async fn a_server_that_changed_its_era_is_talked_to_in_the_other() {
    for (before, after, wanted) in [
        ("plain", "modern-only", ProtocolEra::Modern),
        ("modern-only", "plain", ProtocolEra::Legacy),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut old = fake(before);
        old.identity = "same".into();
        let first = with_cache(old, folder.path());
        assert_works(&first).await;
        first.close().await;
        let mut new = fake(after);
        new.identity = "same".into();
        let second = with_cache(new, folder.path());
        assert_works(&second).await;
        assert_eq!(era(&second).0, Some(wanted), "{after}");
        second.close().await;
        let cached = ServerCache::open(folder.path()).get("fake", "same").expect("remembered");
        assert_eq!(cached.era, wanted);
    }
}
