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
const RETRY_PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(400)];

/// Maximum size of an answer, in bytes: twice the largest reply that a program can get.
pub(super) const MAX_ANSWER: usize = 32 << 20;

/// Maximum size of the body of a failed request, in bytes.
const MAX_FAILURE: usize = 64 << 10;

/// Sends messages to one server.
#[derive(Clone)]
pub(in super::super) struct HttpClient {
    client: reqwest::Client,
    /// The server's origin, safe to show.
    origin: Arc<str>,
    secrets: Arc<ServerSecrets>,
    /// Time limit of `server/discover`.
    probe_timeout: Option<Duration>,
}

type HttpTransportError = StreamableHttpError<HttpError>;

impl HttpClient {
    /// Returns a client for the server at `url`.
    pub(super) fn new(
        builder: reqwest::ClientBuilder,
        url: &Url,
        secrets: &Arc<ServerSecrets>,
        probe_timeout: Option<Duration>,
    ) -> Result<HttpClient, HttpError> {
        let client =
            builder.build().map_err(|error| HttpError::Client(secrets.root_cause(&error)))?;
        Ok(HttpClient {
            client,
            origin: address::shown_origin(url).into(),
            secrets: secrets.clone(),
            probe_timeout,
        })
    }

    /// Sends a request. If it never reached the server, it is sent again.
    async fn send(&self, request: reqwest::RequestBuilder) -> Result<Response, HttpError> {
        let broken = |error| HttpError::of(&self.origin, &error, &self.secrets);
        let request: Request = request.build().map_err(broken)?;
        for pause in RETRY_PAUSES {
            let Some(copy) = request.try_clone() else { break };
            match self.client.execute(copy).await {
                Err(error) if error.is_connect() && !is_tls(&error) => sleep(pause).await,
                done => return self.check_status(done.map_err(broken)?),
            }
        }
        self.check_status(self.client.execute(request).await.map_err(broken)?)
    }

    /// Turns redirects and refused access into errors.
    fn check_status(&self, response: Response) -> Result<Response, HttpError> {
        let (origin, status) = (self.origin.to_string(), response.status());
        if status.is_redirection() {
            let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
            let to: Option<Url> = to.and_then(|to| response.url().join(to).ok());
            let to = to.map_or("nowhere".into(), |to| address::shown_origin(&to));
            return Err(HttpError::Redirected { origin, to });
        }
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                Err(HttpError::Unauthorized { origin, status: status.as_u16() })
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
            return self.failed_response(response, expected, session.is_none()).await;
        }
        let new_session = response.headers().get(HEADER_SESSION_ID).and_then(|id| id.to_str().ok());
        let new_session = new_session.map(str::to_owned);
        if has_content_type(&response, EVENT_STREAM_MIME_TYPE) {
            let call = expected.filter(|(_, expected)| *expected == ExpectedAnswer::Call);
            let call = call.map(|(id, _)| id);
            let events =
                events(response, self.origin.to_string(), self.secrets.clone(), limit, call);
            return Ok(StreamableHttpPostResponse::Sse(events, new_session));
        }
        let Some((id, expected)) = expected else {
            // A notification has no answer to wait for.
            return Ok(StreamableHttpPostResponse::Accepted);
        };
        if !has_content_type(&response, JSON_MIME_TYPE) {
            return Err(HttpTransportError::Client(self.unexpected_type(&response)));
        }
        let body = self.body(response, MAX_ANSWER).await.map_err(HttpTransportError::Client)?;
        match answer(&body, id, expected) {
            Some(message) => Ok(StreamableHttpPostResponse::Json(message, new_session)),
            None => Err(HttpTransportError::UnexpectedServerResponse(
                "it is not an answer of JSON-RPC".into(),
            )),
        }
    }

    /// Returns why a request failed: as the JSON-RPC error in the body, if there is one.
    async fn failed_response(
        &self,
        response: Response,
        expected: Option<(i64, ExpectedAnswer)>,
        no_session: bool,
    ) -> Result<StreamableHttpPostResponse, HttpTransportError> {
        let status = response.status();
        let body = self.body(response, MAX_FAILURE).await.unwrap_or_default();
        if let Some((id, expected)) = expected {
            if let Some(message @ ServerJsonRpcMessage::Error(_)) = answer(&body, id, expected) {
                return Ok(StreamableHttpPostResponse::Json(message, None));
            }
            // A server that supports only the handshake refuses requests before it.
            if expected == ExpectedAnswer::Discovery && no_session && status.is_client_error() {
                let message = format!("`server/discover` was refused with HTTP {status}");
                let refusal = decode::refuse(id, ErrorCode::INVALID_REQUEST, message);
                return Ok(StreamableHttpPostResponse::Json(refusal, None));
            }
        }
        let body = self.secrets.safe_text(&String::from_utf8_lossy(&body));
        let origin = self.origin.to_string();
        Err(HttpTransportError::Client(HttpError::Status { origin, status: status.as_u16(), body }))
    }

    async fn body(&self, mut response: Response, limit: usize) -> Result<Vec<u8>, HttpError> {
        let mut body = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| HttpError::of(&self.origin, &error, &self.secrets))?
        {
            if body.len() + chunk.len() > limit {
                return Err(HttpError::TooLarge);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn unexpected_type(&self, response: &Response) -> HttpError {
        let found = response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes);
        let found = self.secrets.safe_text(&String::from_utf8_lossy(found.unwrap_or(b"nothing")));
        HttpError::ContentType { origin: self.origin.to_string(), found }
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
            MAX_ANSWER,
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
        match (self.probe_timeout, expected(&message)) {
            (Some(probe_timeout), Some((id, ExpectedAnswer::Discovery))) => {
                timeout(probe_timeout, posted).await.unwrap_or_else(|_| {
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
        self.get_stream_with_max_sse_event_size(
            uri,
            session,
            last,
            authorization,
            headers,
            MAX_ANSWER,
        )
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
                let (origin, body) = (self.origin.to_string(), String::new());
                Err(HttpTransportError::Client(HttpError::Status {
                    origin,
                    status: status.as_u16(),
                    body,
                }))
            }
            _ if !has_content_type(&response, EVENT_STREAM_MIME_TYPE) => {
                Err(HttpTransportError::Client(self.unexpected_type(&response)))
            }
            _ => Ok(events(response, self.origin.to_string(), self.secrets.clone(), limit, None)),
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

fn has_content_type(response: &Response, kind: &str) -> bool {
    let found = response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    found.len() >= kind.len() && found[..kind.len()].eq_ignore_ascii_case(kind.as_bytes())
}
