//! The first request: the capabilities of the editor and of the server.
//!
//! Invariant: an editor that announces no capabilities is served all the same. Deliberately elsewhere: the capabilities of the server
//! (`mod.rs`).

use super::workspace::Workspace;
use lsp_server::{Connection, ProtocolError, Response};
use lsp_types::{InitializeParams, InitializeResult, ServerCapabilities, ServerInfo};

/// The capabilities of the editor, and the folders that it has opened.
#[derive(Default)]
pub(super) struct Editor {
    /// Whether it accepts the request to redraw its lenses.
    pub(super) can_refresh: bool,
    /// Whether it accepts edits of files with their versions.
    pub(super) takes_versions: bool,
    /// Its folders.
    pub(super) workspace: Workspace,
}

impl Editor {
    fn of(params: &InitializeParams) -> Self {
        let of_workspace = params.capabilities.workspace.as_ref();
        let lens = of_workspace.and_then(|workspace| workspace.code_lens.as_ref()?.refresh_support);
        let versions = of_workspace.and_then(|workspace| workspace.workspace_edit.as_ref()?.document_changes);
        Self { can_refresh: lens == Some(true), takes_versions: versions == Some(true), workspace: Workspace::of(params) }
    }
}

/// Performs the handshake.
pub(super) fn initialise(connection: &Connection, capabilities: ServerCapabilities) -> Result<Editor, ProtocolError> {
    let (id, params) = connection.initialize_start()?;
    // An editor whose parameters cannot be read is served as one without capabilities.
    let editor = serde_json::from_value(params).map(|params: InitializeParams| Editor::of(&params)).unwrap_or_default();
    let result = InitializeResult {
        capabilities,
        server_info: Some(ServerInfo { name: "bcheck".to_owned(), version: Some(env!("CARGO_PKG_VERSION").to_owned()) }),
    };
    // If the editor is gone already, the next read reports it.
    let _ = connection.sender.send(Response::new_ok(id, result).into());
    Ok(editor)
}
