//! A launch written into the shared area, in the form that exec takes.

use std::ffi::{CStr, CString, OsStr, c_char};
use std::os::fd::RawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::sync::Arc;

use super::vdso;
use super::wire::{Area, HeapShift, Namespaces, Request, TEXT_BYTES};
use crate::cgroup::Entry;
use crate::{Accounting, Launch, MeasureError, Tax, View};

/// A launch whose text has been checked. Made once for many runs.
pub(crate) struct Checked {
    program: CString,
    cwd: CString,
    argv: Vec<CString>,
    envp: Vec<CString>,
    core: i32,
    aslr: bool,
    /// A run that ends before exec.
    probe: bool,
    view: Option<Arc<View>>,
    tax: Option<Tax>,
    accounting: Option<Accounting>,
    peak: bool,
    heap: Option<HeapShift>,
}

/// The words of a launch.
pub(crate) struct Words<'a> {
    pub(crate) program: &'a CStr,
    pub(crate) cwd: &'a CStr,
    /// Ends with null.
    pub(crate) argv: Vec<*const c_char>,
    /// Ends with null.
    pub(crate) envp: Vec<*const c_char>,
}

impl Checked {
    /// `accounted`: a group accounts for its CPU time.
    pub(crate) fn new(launch: &Launch, accounted: bool) -> Result<Checked, MeasureError> {
        let absolute = |path: &PathBuf| {
            std::path::absolute(path).map_err(MeasureError::system(format!(
                "cannot resolve {}",
                path.display()
            )))
        };
        let heap = launch.heap.map(|bytes| match vdso::system_call() {
            Ok(call) => Ok(HeapShift { bytes, call }),
            Err(why) => Err(MeasureError::Heap(why.to_owned())),
        });
        let mut argv = vec![text(&launch.argv0)?];
        for argument in &launch.args {
            argv.push(text(argument)?);
        }
        let mut envp = Vec::with_capacity(launch.env.len());
        for (name, value) in &launch.env {
            if name.is_empty() || name.as_bytes().contains(&b'=') {
                return Err(MeasureError::BadText(format!(
                    "the variable {:?}",
                    name.display().to_string()
                )));
            }
            let mut both = name.clone();
            both.push("=");
            both.push(value);
            envp.push(text(&both)?);
        }
        Ok(Checked {
            program: text(absolute(&launch.program)?.as_os_str())?,
            cwd: text(absolute(&launch.cwd)?.as_os_str())?,
            argv,
            envp,
            core: launch
                .core
                .map_or(-1, |core| i32::try_from(core).unwrap_or(i32::MAX)),
            aslr: launch.aslr,
            probe: false,
            view: launch.view.clone(),
            tax: launch.tax,
            accounting: (!accounted).then_some(launch.accounting),
            peak: launch.peak,
            heap: heap.transpose()?,
        })
    }

    /// The words in the form that exec takes; the pointers are good for as long as this is alive.
    pub(crate) fn words(&self) -> Words<'_> {
        let list = |strings: &[CString]| {
            let pointers = strings.iter().map(|string| string.as_ptr());
            pointers.chain([std::ptr::null()]).collect()
        };
        Words {
            program: &self.program,
            cwd: &self.cwd,
            argv: list(&self.argv),
            envp: list(&self.envp),
        }
    }

    /// The namespaces of its view: of mounts, and of users; −1 where there is none.
    pub(crate) fn view(&self) -> [RawFd; 2] {
        self.view
            .as_ref()
            .map_or([-1, -1], |view| view.descriptors())
    }

    /// What to say when the kernel takes no command of this length.
    pub(crate) fn too_long(&self) -> MeasureError {
        too_long(
            pieces(&self.argv)
                .chain(pieces(&self.envp))
                .map(|piece| piece.count_bytes() + 1 + size_of::<*const c_char>())
                .sum(),
        )
    }

    /// A process that enters its group and ends.
    pub(crate) fn probe() -> Checked {
        Checked {
            program: CString::default(),
            cwd: c"/".to_owned(),
            argv: Vec::new(),
            envp: Vec::new(),
            core: -1,
            aslr: true,
            probe: true,
            view: None,
            tax: None,
            accounting: None,
            peak: false,
            heap: None,
        }
    }

    /// Writes the request into the area.
    ///
    /// # Safety
    /// The area is mapped, and the launcher is not reading it.
    pub(super) unsafe fn write(&self, area: *mut Area, entry: Entry) -> Result<(), MeasureError> {
        let strings = || {
            [self.program.as_c_str(), self.cwd.as_c_str()]
                .into_iter()
                .chain(pieces(&self.argv))
                .chain(pieces(&self.envp))
        };
        let pointers = (self.argv.len() + self.envp.len() + 2) * size_of::<*const c_char>();
        let bytes = pointers
            + strings()
                .map(|string| string.count_bytes() + 1)
                .sum::<usize>();
        if bytes > TEXT_BYTES {
            return Err(too_long(bytes));
        }
        // SAFETY: the sum of everything written was compared with the room that there is. The text
        // follows a stack whose size is a multiple of 64, so that it is aligned for pointers, which
        // come first.
        unsafe {
            let argv = std::ptr::addr_of_mut!((*area).text).cast::<*const c_char>();
            let envp = argv.add(self.argv.len() + 1);
            let mut end = argv.cast::<c_char>().add(pointers);
            let mut put = |string: &CStr| {
                let start = end;
                std::ptr::copy_nonoverlapping(string.as_ptr(), start, string.count_bytes() + 1);
                end = end.add(string.count_bytes() + 1);
                start.cast_const()
            };
            let (program, cwd) = (put(&self.program), put(&self.cwd));
            for (list, from) in [(argv, &self.argv), (envp, &self.envp)] {
                for (place, string) in from.iter().enumerate() {
                    list.add(place).write(put(string));
                }
                list.add(from.len()).write(std::ptr::null());
            }
            (*area).request = Request {
                program,
                cwd,
                argv,
                envp,
                core: self.core,
                aslr: self.aslr,
                probe: self.probe,
                entry,
                view: match self.view() {
                    [(..0), _] => Namespaces::None,
                    [_, (..0)] => Namespaces::Mounts,
                    _ => Namespaces::MountsAndUsers,
                },
                tax: self.tax,
                accounting: self.accounting,
                peak: self.peak,
                heap: self.heap,
            };
        }
        Ok(())
    }
}

/// The kernel takes a quarter of the stack's limit, and 6 MiB at most: `execve(2)`.
fn too_long(bytes: usize) -> MeasureError {
    let stack = rustix::process::getrlimit(rustix::process::Resource::Stack).current;
    let quarter = usize::try_from(stack.unwrap_or(u64::MAX) / 4).unwrap_or(usize::MAX);
    MeasureError::TooLong {
        bytes,
        limit: quarter.min(6 << 20).min(TEXT_BYTES),
    }
}

fn pieces(strings: &[CString]) -> impl Iterator<Item = &CStr> {
    strings.iter().map(CString::as_c_str)
}

fn text(string: &OsStr) -> Result<CString, MeasureError> {
    CString::new(string.to_os_string().into_vec())
        .map_err(|_| MeasureError::BadText(format!("{:?}", string.display().to_string())))
}
