//! The settings of a batch that watches a folder.

use super::switch;
use crate::error::{Outcome, recto_error};
use crate::status::RECTO_E_CONFIG;
use recto::Watch;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The settings that were set; nothing is watched without a folder.
#[derive(Default)]
pub(super) struct WatchSettings {
    folder: Option<PathBuf>,
    recursive: Option<bool>,
    settle: Option<Duration>,
    move_originals: Option<PathBuf>,
    delete_originals: Option<bool>,
    failed: Option<PathBuf>,
}

impl WatchSettings {
    /// The names of the settings.
    pub(super) const NAMES: &str = "watch, recursive, settle_ms, move_originals, delete_originals, failed";

    /// Sets a setting. `false` if it is not one of a watch.
    pub(super) fn set(&mut self, name: &str, value: &Path) -> Outcome<bool> {
        match name {
            "watch" => self.folder = Some(value.to_owned()),
            "recursive" => self.recursive = Some(switch(name, value)?),
            "settle_ms" => {
                let millis = value.to_str().and_then(|text| text.parse().ok());
                let millis = millis.ok_or_else(|| {
                    recto_error::invalid_setting(name, value, "a number of milliseconds, such as 2000")
                })?;
                self.settle = Some(Duration::from_millis(millis));
            }
            "move_originals" => self.move_originals = Some(value.to_owned()),
            "delete_originals" => self.delete_originals = Some(switch(name, value)?),
            "failed" => self.failed = Some(value.to_owned()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The folder to watch; `None` if the batch has documents instead.
    pub(super) fn watch(&self, has_documents: bool) -> Outcome<Option<Watch>> {
        let others = [self.recursive.is_some(), self.settle.is_some(), self.move_originals.is_some()];
        let has_others = others.contains(&true) || self.delete_originals.is_some() || self.failed.is_some();
        let refused = |message: &str| Err(recto_error::new(RECTO_E_CONFIG, message));
        let Some(folder) = &self.folder else {
            return if has_others {
                refused("the batch has settings of a watch: set `watch` to the folder")
            } else {
                Ok(None)
            };
        };
        if has_documents {
            return refused("a batch that watches a folder takes no other documents");
        }
        let mut watch = Watch::folder(folder)
            .recursive(self.recursive.unwrap_or_default())
            .delete_originals(self.delete_originals.unwrap_or_default());
        if let Some(settle) = self.settle {
            watch = watch.settle(settle);
        }
        if let Some(folder) = &self.move_originals {
            watch = watch.move_originals(folder);
        }
        if let Some(folder) = &self.failed {
            watch = watch.failed(folder);
        }
        Ok(Some(watch))
    }
}
