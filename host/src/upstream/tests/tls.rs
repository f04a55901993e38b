//! An untrusted certificate is refused, and nothing is sent.

use super::{project, upstreams};
use crate::config::{Launch, ServerConfig};
use crate::model::Secret;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConnection, StreamOwned};
use std::io::Read;
use std::net::TcpListener;
use std::sync::{Arc, mpsc};

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_refused() {
    let (port, read) = listen();
    let mut config =
        ServerConfig::http("fake", format!("https://localhost:{port}/mcp")).expect("a server");
    if let Launch::Http { headers, .. } = &mut config.launch {
        headers.push(("Authorization".into(), Secret::new("Bearer hunter22")));
    }
    let upstreams = upstreams(config);
    let error = upstreams.list_tools("fake").await.expect_err("refused").to_string();
    assert!(error.contains("certificate"), "{error}");
    let received = tokio::task::spawn_blocking(move || read.recv().expect("it was tried")).await;
    assert_eq!(received.expect("no panic"), 0, "bytes were sent over it");
}

/// Listens with a self-signed certificate. Sends the number of bytes that it received over the
/// first connection.
fn listen() -> (u16, mpsc::Receiver<usize>) {
    let folder = project().join("tests/kit/tls");
    let certificate = CertificateDer::from_pem_file(folder.join("self-signed.pem")).expect("PEM");
    let key = PrivateKeyDer::from_pem_file(folder.join("self-signed.key")).expect("PEM");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("a certificate");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a client");
        let connection = ServerConnection::new(Arc::new(config)).expect("TLS");
        let mut stream = StreamOwned::new(connection, stream);
        let received = stream.read(&mut [0; 1024]).unwrap_or(0);
        sender.send(received).expect("the test waits");
    });
    (port, receiver)
}
