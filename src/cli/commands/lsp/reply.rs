//! Parameters and results of requests as JSON, and the reasons for refusing a request.
//!
//! Invariant: whatever parameters an editor sends, there is an answer.

use lsp_server::{ErrorCode, Request};
use lsp_types::request;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

/// Why a request is answered by an error.
pub(super) struct RequestError(pub(super) ErrorCode, pub(super) String);

/// The parameters of a request.
pub(super) fn parameters<R: request::Request>(request: Request) -> Result<R::Params, RequestError>
where
    R::Params: DeserializeOwned,
{
    serde_json::from_value(request.params).map_err(|error| RequestError(ErrorCode::InvalidParams, error.to_string()))
}

/// A value of the protocol as JSON; serialising one never fails.
pub(super) fn json(value: impl Serialize) -> Json {
    serde_json::to_value(value).unwrap_or(Json::Null)
}
