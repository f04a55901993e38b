//! The HTTP client that rmcp's transport uses.
//!
//! Unlike rmcp's own client, it limits the size of answers, does not follow redirects to other
//! origins, and preserves the reason of a failure. Only a request that never reached the server is
//! sent again.

use super::super::decode::{self, Envelope, ExpectedAnswer, MessageKind};
use super::super::secrets::ServerSecrets;
use super::HttpError;
use super::address;
use super::error::is_tls;
use super::events::events;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION};
use reqwest::{Request, Response, StatusCode, Url};
use rmcp::model::{
    ClientJsonRpcMessage, ErrorCode, NumberOrString, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_LAST_EVENT_ID, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// Pauses before a request that never reached the server is sent again.
const AGAIN: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(400)];

/// Maximum size of an answer, in bytes: twice the largest reply that a program can get.
pub(super) const ANSWER: usize = 32 << 20;

/// Maximum size of the body of a failed request, in bytes.
const REASON: usize = 64 << 10;

/// Sends messages to one server.
#[derive(Clone)]
pub(in super::super) struct HttpClient {
    client: reqwest::Client,
    /// The server's origin, safe to show.
    at: Arc<str>,
    secrets: Arc<ServerSecrets>,
    /// Time limit of `server/discover`.
    patience: Option<Duration>,
}

type HttpTransportError = StreamableHttpError<HttpError>;

impl HttpClient {
    /// Returns a client for the server at `url`.
    pub(super) fn new(
        builder: reqwest::ClientBuilder,
        url: &Url,
        secrets: &Arc<ServerSecrets>,
        patience: Option<Duration>,
    ) -> Result<HttpClient, HttpError> {
        let client = builder.build().map_err(|error| HttpError::Client(secrets.root(&error)))?;
        Ok(HttpClient {
            client,
            at: address::shown(url).into(),
            secrets: secrets.clone(),
            patience,
        })
    }

    /// Sends a request. If it never reached the server, it is sent again.
    async fn send(&self, request: reqwest::RequestBuilder) -> Result<Response, HttpError> {
        let broken = |error| HttpError::of(&self.at, &error, &self.secrets);
        let request: Request = request.build().map_err(broken)?;
        for pause in AGAIN {
            let Some(copy) = request.try_clone() else { break };
            match self.client.execute(copy).await {
                Err(error) if error.is_connect() && !is_tls(&error) => sleep(pause).await,
                done => return self.accept(done.map_err(broken)?),
            }
        }
        self.accept(self.client.execute(request).await.map_err(broken)?)
    }

    /// Turns redirects and refused access into errors.
    fn accept(&self, response: Response) -> Result<Response, HttpError> {
        let (at, status) = (self.at.to_string(), response.status());
        if status.is_redirection() {
            let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
            let to: Option<Url> = to.and_then(|to| response.url().join(to).ok());
            let to = to.map_or("nowhere".into(), |to| address::shown(&to));
            return Err(HttpError::Redirected { at, to });
        }
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                Err(HttpError::Unauthorized { at, status: status.as_u16() })
            }
            _ => Ok(response),
        }
    }

    async fn post(
        &self,
        uri: &str,
        message: &ClientJsonRpcMessage,
        session: Option<&str>,
        headers: HashMap<HeaderName, HeaderValue>,
        limit: usize,
    ) -> Result<StreamableHttpPostResponse, HttpTransportError> {
        let mut request = self.client.post(uri).json(message);
        request = request.header(ACCEPT, [JSON_MIME_TYPE, EVENT_STREAM_MIME_TYPE].join(", "));
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(session) = session {
            request = request.header(HEADER_SESSION_ID, session);
        }
        let response = self.send(request).await.map_err(HttpTransportError::Client)?;
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && session.is_some() {
            return Err(HttpTransportError::SessionExpired);
        }
        let expected = expected(message);
        if !status.is_success() {
            return self.failed(response, expected, session.is_none()).await;
        }
        let given = response.headers().get(HEADER_SESSION_ID).and_then(|id| id.to_str().ok());
        let given = given.map(str::to_owned);
        if is(&response, EVENT_STREAM_MIME_TYPE) {
            let call = expected.filter(|(_, expected)| *expected == ExpectedAnswer::Call);
            let call = call.map(|(id, _)| id);
            let events = events(response, self.at.to_string(), self.secrets.clone(), limit, call);
            return Ok(StreamableHttpPostResponse::Sse(events, given));
        }
        let Some((id, expected)) = expected else {
            // A notification has no answer to wait for.
            return Ok(StreamableHttpPostResponse::Accepted);
        };
        if !is(&response, JSON_MIME_TYPE) {
            return Err(HttpTransportError::Client(self.odd(&response)));
        }
        let body = self.body(response, ANSWER).await.map_err(HttpTransportError::Client)?;
        match answer(&body, id, expected) {
            Some(message) => Ok(StreamableHttpPostResponse::Json(message, given)),
            None => Err(HttpTransportError::UnexpectedServerResponse(
                "it is not an answer of JSON-RPC".into(),
            )),
        }
    }

    /// Returns why a request failed: as the JSON-RPC error in the body, if there is one.
    async fn failed(
        &self,
        response: Response,
        expected: Option<(i64, ExpectedAnswer)>,
        first: bool,
    ) -> Result<StreamableHttpPostResponse, HttpTransportError> {
        let status = response.status();
        let body = self.body(response, REASON).await.unwrap_or_default();
        if let Some((id, expected)) = expected {
            if let Some(message @ ServerJsonRpcMessage::Error(_)) = answer(&body, id, expected) {
                return Ok(StreamableHttpPostResponse::Json(message, None));
            }
            // A server that supports only the handshake refuses requests before it.
            if expected == ExpectedAnswer::Discovery && first && status.is_client_error() {
                let message = format!("`server/discover` was refused with HTTP {status}");
                let refusal = decode::refuse(id, ErrorCode::INVALID_REQUEST, message);
                return Ok(StreamableHttpPostResponse::Json(refusal, None));
            }
        }
        let said = self.secrets.words(&String::from_utf8_lossy(&body));
        let at = self.at.to_string();
        Err(HttpTransportError::Client(HttpError::Status { at, status: status.as_u16(), said }))
    }

    async fn body(&self, mut response: Response, limit: usize) -> Result<Vec<u8>, HttpError> {
        let mut body = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| HttpError::of(&self.at, &error, &self.secrets))?
        {
            if body.len() + chunk.len() > limit {
                return Err(HttpError::TooLarge);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn odd(&self, response: &Response) -> HttpError {
        let found = response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes);
        let found = self.secrets.words(&String::from_utf8_lossy(found.unwrap_or(b"nothing")));
        HttpError::ContentType { at: self.at.to_string(), found }
    }
}

impl StreamableHttpClient for HttpClient {
    type Error = HttpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        authorization: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, HttpTransportError> {
        self.post_message_with_max_sse_event_size(
            uri,
            message,
            session,
            authorization,
            headers,
            ANSWER,
        )
        .await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        limit: usize,
    ) -> Result<StreamableHttpPostResponse, HttpTransportError> {
        let posted = self.post(&uri, &message, session.as_deref(), headers, limit);
        match (self.patience, expected(&message)) {
            (Some(patience), Some((id, ExpectedAnswer::Discovery))) => {
                timeout(patience, posted).await.unwrap_or_else(|_| {
                    let message = "no answer to `server/discover`".into();
                    let refusal = decode::refuse(id, ErrorCode::METHOD_NOT_FOUND, message);
                    Ok(StreamableHttpPostResponse::Json(refusal, None))
                })
            }
            _ => posted.await,
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), HttpTransportError> {
        let mut request = self.client.delete(&*uri).header(HEADER_SESSION_ID, &*session);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        // A server may refuse to delete a session. That is not an error.
        self.send(request).await.map(drop).map_err(HttpTransportError::Client)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        authorization: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxedSseResponse, HttpTransportError> {
        self.get_stream_with_max_sse_event_size(uri, session, last, authorization, headers, ANSWER)
            .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        limit: usize,
    ) -> Result<BoxedSseResponse, HttpTransportError> {
        let mut request = self.client.get(&*uri).header(ACCEPT, EVENT_STREAM_MIME_TYPE);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(session) = session {
            request = request.header(HEADER_SESSION_ID, &*session);
        }
        if let Some(last) = last {
            request = request.header(HEADER_LAST_EVENT_ID, last);
        }
        let response = self.send(request).await.map_err(HttpTransportError::Client)?;
        match response.status() {
            StatusCode::METHOD_NOT_ALLOWED => Err(HttpTransportError::ServerDoesNotSupportSse),
            status if !status.is_success() => {
                let (at, said) = (self.at.to_string(), String::new());
                Err(HttpTransportError::Client(HttpError::Status {
                    at,
                    status: status.as_u16(),
                    said,
                }))
            }
            _ if !is(&response, EVENT_STREAM_MIME_TYPE) => {
                Err(HttpTransportError::Client(self.odd(&response)))
            }
            _ => Ok(events(response, self.at.to_string(), self.secrets.clone(), limit, None)),
        }
    }
}

/// Returns the id of a request and how to parse its answer. rmcp parses lists itself, since it
/// looks for arguments that are sent as headers.
fn expected(message: &ClientJsonRpcMessage) -> Option<(i64, ExpectedAnswer)> {
    let (id, expected) = ExpectedAnswer::of_message(message)?;
    let RequestId::Number(id) = id else { return None };
    Some((id, if expected == ExpectedAnswer::Plain { ExpectedAnswer::Other } else { expected }))
}

/// Parses the answer in a body. It answers the request that it came for, whatever id it has.
fn answer(body: &[u8], id: i64, expected: ExpectedAnswer) -> Option<ServerJsonRpcMessage> {
    match Envelope::open(body)?.kind()? {
        MessageKind::Answer(_, result) => Some(decode::answer(id, expected, result)),
        MessageKind::Refusal(_, error) => {
            Some(ServerJsonRpcMessage::error(error, Some(NumberOrString::Number(id))))
        }
        MessageKind::Request | MessageKind::Notification(_) => None,
    }
}

fn is(response: &Response, kind: &str) -> bool {
    let found = response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    found.len() >= kind.len() && found[..kind.len()].eq_ignore_ascii_case(kind.as_bytes())
}
