//! The options about pictures of states, as typed. Deliberately elsewhere: pictures themselves (`state_pictures`).

use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// Which states are drawn, and where to.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct PictureArgs {
    /// Draw the states of the counterexample, or of the run, as ANIMATION_… or VISB_… in DEFINITIONS say: FILE.svg, FILE.png, or
    /// FILE.html to step through
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) picture: Option<PathBuf>,
    /// Which states are drawn in pages and by --picture
    #[arg(long, value_enum, default_value = "all", value_name = "WHICH", help_heading = "Output")]
    pub(super) pictures: PicturesArg,
}

/// `--pictures`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum PicturesArg {
    /// All: where DEFINITIONS do not say how, sets as chips and functions as arrows
    #[default]
    All,
    /// Those of machines whose DEFINITIONS say how
    Defined,
    /// None
    None,
}

impl PictureArgs {
    /// Whether states are drawn, and if so, whether those too that no definition is about.
    pub(super) fn draws(&self, has_page: bool) -> Option<bool> {
        let is_drawn = self.pictures != PicturesArg::None && (has_page || self.picture.is_some());
        is_drawn.then_some(self.pictures == PicturesArg::All)
    }

    /// The file to draw into, if there is one; refuses to draw nothing.
    pub(super) fn file(&self) -> Result<Option<&Path>, String> {
        match (&self.picture, self.pictures) {
            (Some(_), PicturesArg::None) => Err("--pictures none draws nothing: leave out --picture, or choose all or defined".to_owned()),
            (file, _) => Ok(file.as_deref()),
        }
    }
}
