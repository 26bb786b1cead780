//! Parameters and results of requests as JSON, and why a request is refused.
//!
//! Invariant: whatever parameters an editor sends, there is an answer.

use lsp_server::{ErrorCode, Request};
use lsp_types::request;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

/// The reason why a request is answered by an error.
pub(super) struct RequestError(pub(super) ErrorCode, pub(super) String);

/// The parameters of a request.
pub(super) fn parameters<R: request::Request>(request: Request) -> Result<R::Params, RequestError>
where
    R::Params: DeserializeOwned,
{
    serde_json::from_value(request.params).map_err(|error| RequestError(ErrorCode::InvalidParams, error.to_string()))
}

/// A value of the protocol as JSON; all of them can be written.
pub(super) fn json(value: impl Serialize) -> Json {
    serde_json::to_value(value).unwrap_or(Json::Null)
}
