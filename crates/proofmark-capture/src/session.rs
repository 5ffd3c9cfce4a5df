//! The folder in which the shims of one running build leave what they saw, for the capture to
//! collect.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use proofmark_terms::{Digest, OsText};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::objects::{Mode, Objects, hash_bytes};
use crate::stamp::Stamp;

/// The variable that names the session's folder to the shims.
pub const SESSION: &str = "PROOFMARK_CAPTURE";
/// The variable by which a linker's shim tells the shims below it where to leave what belongs to
/// its link.
pub(crate) const LINK: &str = "PROOFMARK_LINK";

/// What the shims need to know.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Settings {
    /// Where each tool is found when it is started by something that is no known compiler.
    pub tools: Vec<(String, OsText)>,
    /// The linker that cargo would have used, by target.
    pub cargo_linkers: Vec<(String, OsText)>,
    /// The wrapper that cargo would have started `rustc` with.
    pub rustc_wrapper: Option<OsText>,
    /// C compilers are told to make function sections, which the build did not ask for.
    #[serde(default)]
    pub adds: bool,
    /// C compilers compile everything a second time, with function sections, for the store.
    #[serde(default)]
    pub twice: bool,
}

/// One build in progress.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    root: PathBuf,
    settings: Settings,
    staged: Objects,
    stored: Objects,
}

impl Session {
    /// A new session in `root` (which exists and is empty) beside the stored `objects`.
    pub(crate) fn create(root: &Path, stored: &Objects, settings: Settings) -> io::Result<Session> {
        for folder in [
            "events",
            "problems",
            "known",
            "links",
            "clang",
            "clang-read",
            "second",
            "tmp",
            "lost",
        ] {
            fs::create_dir_all(root.join(folder))?;
        }
        fs::write(
            root.join("settings.json"),
            serde_json::to_vec(&(OsText::from(stored.root()), &settings))?,
        )?;
        Ok(Session {
            root: root.to_owned(),
            settings,
            staged: Objects::new(root.join("objects")),
            stored: stored.clone(),
        })
    }

    /// The session named by the environment, if there is one.
    pub(crate) fn from_environment() -> Option<Session> {
        Session::open(Path::new(&std::env::var_os(SESSION)?)).ok()
    }

    /// The session in `root`.
    pub(crate) fn open(root: &Path) -> io::Result<Session> {
        let (stored, settings): (OsText, Settings) =
            serde_json::from_slice(&fs::read(root.join("settings.json"))?)?;
        let stored = Objects::new(PathBuf::from(stored.as_ref()));
        Ok(Session {
            root: root.to_owned(),
            settings,
            staged: Objects::new(root.join("objects")),
            stored,
        })
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Objects that this build brought and the store does not have yet.
    pub(crate) fn staged(&self) -> &Objects {
        &self.staged
    }

    /// Where an object lies.
    pub(crate) fn blob(&self, hash: &Digest) -> PathBuf {
        if self.staged.contains(hash) {
            self.staged.path(hash)
        } else {
            self.stored.path(hash)
        }
    }

    /// Where clang leaves its compilation database fragments.
    pub(crate) fn clang_folder(&self) -> PathBuf {
        self.root.join("clang")
    }

    /// Where fragments are put that were read while the build ran.
    pub(crate) fn clang_read_folder(&self) -> PathBuf {
        self.root.join("clang-read")
    }

    /// A place of one's own for what a second compilation makes.
    pub(crate) fn second_file(&self, extension: &str) -> PathBuf {
        self.root
            .join("second")
            .join(unique())
            .with_extension(extension)
    }

    /// Where the assembler text of a second compilation lies, by the hash of the first one's.
    pub(crate) fn second_text(&self, first: &str) -> PathBuf {
        self.root.join("second").join(format!("text-{first}"))
    }

    /// Stores a copy of a file, there and then.
    pub(crate) fn keep(&self, file: &Path, mode: Mode) -> io::Result<Digest> {
        self.keep_now(file, mode).inspect_err(|error| {
            let bytes = fs::metadata(file).map_or(0, |about| about.len());
            self.lose(
                error,
                &hash_bytes(file.as_os_str().as_encoded_bytes()),
                bytes,
            );
        })
    }

    fn keep_now(&self, file: &Path, mode: Mode) -> io::Result<Digest> {
        let memo = self
            .root
            .join("known")
            .join(hash_bytes(file.as_os_str().as_encoded_bytes()).as_str());
        let stamp = Stamp::of(file)?;
        if let Some((known, hash)) = read_json::<(Stamp, Digest)>(&memo)
            && known == stamp
            && (self.staged.contains(&hash) || self.stored.contains(&hash))
        {
            return Ok(hash);
        }
        let hash = self.staged.keep(file, mode, &[&self.stored])?;
        if Stamp::of(file)? == stamp {
            self.remember(&memo, &(stamp, &hash));
        }
        Ok(hash)
    }

    /// What was remembered under `key`, or what `find` finds.
    pub(crate) fn memo<T: Serialize + DeserializeOwned>(
        &self,
        key: &OsStr,
        find: impl FnOnce() -> Option<T>,
    ) -> Option<T> {
        let place = self
            .root
            .join("known")
            .join(hash_bytes(key.as_encoded_bytes()).as_str());
        if let Some(known) = read_json(&place) {
            return Some(known);
        }
        let found = find()?;
        self.remember(&place, &found);
        Some(found)
    }

    /// A memo that cannot be written only costs time: the next shim finds out again.
    fn remember<T: Serialize>(&self, place: &Path, what: &T) {
        let _ = write_json(&self.root.join("tmp"), place, what);
    }

    /// A fresh folder for what belongs to one link.
    pub(crate) fn link_folder(&self) -> io::Result<PathBuf> {
        let folder = self.root.join("links").join(unique());
        fs::create_dir(&folder)?;
        Ok(folder)
    }

    /// Writes down what a shim saw.
    pub(crate) fn record(&self, event: &Event) -> io::Result<()> {
        let name = unique();
        write_json(
            &self.root.join("tmp"),
            &self.root.join("events").join(&name),
            event,
        )
        .inspect_err(|error| {
            let bytes = serde_json::to_vec(event).map_or(0, |text| text.len() as u64);
            self.lose(error, &name.to_string_lossy(), bytes);
        })
    }

    /// Notes how much could not be kept for want of room, in the name of an empty file: that needs
    /// no block.
    fn lose(&self, error: &io::Error, what: &str, bytes: u64) {
        let full = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
        if full.contains(&error.kind()) {
            let _ = File::create(self.root.join("lost").join(format!("{what}.{bytes}")));
        }
    }

    /// How many bytes could not be kept for want of room; none where all was.
    pub(crate) fn lost(&self) -> io::Result<Option<u64>> {
        let files = entries(&self.root.join("lost"))?;
        let sizes = files.iter().filter_map(|file| {
            let (_, bytes) = file.file_name()?.to_str()?.rsplit_once('.')?;
            bytes.parse::<u64>().ok()
        });
        Ok((!files.is_empty()).then(|| sizes.sum()))
    }

    /// Writes down that something could not be recorded; the build goes on. Where not even that can
    /// be written (disk full), an empty file stands for it: it needs no block.
    pub(crate) fn problem(&self, text: &str) {
        let file = self.root.join("problems").join(unique());
        let _ = fs::write(file, text);
        // "No space left on device", "Disk quota exceeded": of what, and how much, is in the text
        // at best.
        if text.contains("(os error 28)") || text.contains("(os error 122)") {
            self.lose(&io::ErrorKind::StorageFull.into(), "problem", 0);
        }
    }

    /// Everything that the shims saw, in the order in which it was written.
    pub(crate) fn events(&self) -> io::Result<Vec<Event>> {
        let mut files: Vec<PathBuf> = entries(&self.root.join("events"))?;
        files.sort();
        files
            .iter()
            .map(|file| Ok(serde_json::from_slice(&fs::read(file)?)?))
            .collect()
    }

    /// Everything that went wrong in the shims.
    pub(crate) fn problems(&self) -> io::Result<Vec<String>> {
        let mut found = Vec::new();
        for file in entries(&self.root.join("problems"))? {
            let text = String::from_utf8_lossy(&fs::read(file)?).into_owned();
            found.push(if text.is_empty() {
                "no space left on the device".to_owned()
            } else {
                text
            });
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// What clang wrote about its compilations: one JSON object a line.
    pub(crate) fn clang_fragments(&self) -> io::Result<Vec<Vec<u8>>> {
        let folders = [self.clang_folder(), self.clang_read_folder()];
        let files: Vec<Vec<PathBuf>> = folders
            .iter()
            .map(|of| entries(of))
            .collect::<Result<_, _>>()?;
        files.into_iter().flatten().map(fs::read).collect()
    }
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect()
}

fn read_json<T: DeserializeOwned>(file: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}

/// Written beside and renamed, so that nobody reads a half of it.
fn write_json<T: Serialize>(scratch: &Path, file: &Path, what: &T) -> io::Result<()> {
    let beside = scratch.join(unique());
    // In one piece: a buffer that is dropped says nothing of what it could not write.
    fs::write(&beside, serde_json::to_vec(what)?)?;
    fs::rename(beside, file)
}

/// A name that no other process of this build uses and that sorts by time.
fn unique() -> OsString {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_nanos();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{now:024}-{}-{count}", std::process::id()).into()
}
