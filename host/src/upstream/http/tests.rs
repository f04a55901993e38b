//! Tests of the client alone: which requests are sent again.

use super::HttpError;
use super::address;
use super::client::HttpClient;
use super::transport::builder;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, DiscoverRequest, DiscoverRequestParams, NumberOrString,
    PingRequest, ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A resolver that returns addresses without a listener, until it has been asked `found_after`
/// times.
struct Detour {
    asked: AtomicU8,
    found_after: u8,
}

impl Resolve for Detour {
    fn resolve(&self, _: Name) -> Resolving {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        let last = if asked >= self.found_after { 1 } else { 2 + asked };
        let address = SocketAddr::from((Ipv4Addr::new(127, 0, 0, last), 0));
        let addresses: Addrs = Box::new(std::iter::once(address));
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

/// Starts a server that counts requests and answers with `answer`, or closes the connection if that
/// is `None`.
async fn server(answer: Option<&'static str>) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = vec![0; 64 << 10];
            if stream.read(&mut request).await.is_ok_and(|bytes| bytes > 0) {
                counted.fetch_add(1, Ordering::SeqCst);
            }
            if let Some(answer) = answer {
                stream.write_all(answer.as_bytes()).await.expect("the client reads");
            }
        }
    });
    (port, count)
}

async fn post(
    client: &HttpClient,
    url: &str,
    request: ClientRequest,
) -> Result<StreamableHttpPostResponse, StreamableHttpError<HttpError>> {
    let message = ClientJsonRpcMessage::request(request, NumberOrString::Number(7));
    client.post_message(url.into(), message, None, None, HashMap::new()).await
}

fn ping() -> ClientRequest {
    ClientRequest::PingRequest(PingRequest::default())
}

/// Returns a client that finds its server only at the attempt after `detours`.
fn client_with_detours(url: &str, detours: u8) -> (HttpClient, Arc<Detour>) {
    // `transport` does this first.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let url = address::url(url).expect("a URL");
    let detour = Arc::new(Detour { asked: AtomicU8::new(0), found_after: detours });
    let builder = builder(&url, &[]).expect("settings").dns_resolver(detour.clone());
    let probe_timeout = Some(Duration::from_millis(50));
    (HttpClient::new(builder, &url, &Arc::default(), probe_timeout).expect("a client"), detour)
}

const ACCEPTED: &str = "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n";

#[tokio::test]
async fn what_never_reached_the_server_is_sent_again() {
    let (port, count) = server(Some(ACCEPTED)).await;
    let url = format!("http://fake.localhost:{port}/mcp");
    let (client, detour) = client_with_detours(&url, 2);
    assert!(matches!(post(&client, &url, ping()).await, Ok(StreamableHttpPostResponse::Accepted)));
    assert_eq!(detour.asked.load(Ordering::Relaxed), 3);
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn but_not_for_ever() {
    let (port, count) = server(Some(ACCEPTED)).await;
    let url = format!("http://fake.localhost:{port}/mcp");
    let (client, detour) = client_with_detours(&url, 100);
    let error = post(&client, &url, ping()).await.expect_err("nobody listens");
    assert!(matches!(error, StreamableHttpError::Client(HttpError::Connect { .. })), "{error}");
    assert_eq!(detour.asked.load(Ordering::Relaxed), 3);
    assert_eq!(count.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn what_may_have_reached_the_server_is_not_sent_again() {
    let (port, count) = server(None).await;
    let url = format!("http://fake.localhost:{port}/mcp");
    let (client, _) = client_with_detours(&url, 0);
    let error = post(&client, &url, ping()).await.expect_err("it hung up");
    assert!(matches!(error, StreamableHttpError::Client(HttpError::Broken { .. })), "{error}");
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_probe_that_is_not_answered_is_taken_as_refused() {
    // Accepts connections and never answers.
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url =
        format!("http://fake.localhost:{}/mcp", listener.local_addr().expect("an address").port());
    let (client, _) = client_with_detours(&url, 0);
    let probe = ClientRequest::DiscoverRequest(DiscoverRequest::new(DiscoverRequestParams {}));
    match post(&client, &url, probe).await {
        Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(error), _)) => {
            assert_eq!(error.id, Some(NumberOrString::Number(7)));
        }
        other => panic!("{other:?}"),
    }
}
