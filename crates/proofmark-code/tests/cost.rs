//! Files that name the same bytes again and again: reading them must cost what their size is worth.
//!
//! Memory is counted by the allocator, so that no measurement of the machine takes part. Time has a
//! bound that only work out of all proportion reaches.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::made::{
    ALLOC, CODE, Header, Made, PROGBITS, RELA, RELR, STRTAB, SYMTAB, minimal,
};
use proofmark_code::{CodeError, Fact, Facts, Program};

/// Counts the bytes that each thread has in use: tests run beside each other, each on a thread of
/// its own.
struct Counting;

thread_local! {
    static NOW: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

// SAFETY: every request is handed to the system's allocator as it is; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.get().wrapping_add_unsigned(layout.size());
        NOW.set(now);
        MOST.set(MOST.get().max(now));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        NOW.set(NOW.get().wrapping_sub_unsigned(layout.size()));
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The largest number of bytes that the work had in use at once, those before it left out. It must
/// not take long.
fn most<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = NOW.get();
    MOST.set(before);
    let start = Instant::now();
    let done = work();
    let took = start.elapsed();
    assert!(took < Duration::from_secs(20), "{took:?}");
    ((MOST.get() - before).unsigned_abs(), done)
}

fn parse(bytes: Vec<u8>) -> Result<Program, CodeError> {
    Program::parse(Path::new("made"), bytes)
}

/// The entry of a relocation table for the dynamic linker.
fn relocation(place: u64, symbol: u64, kind: u64, addend: u64) -> Vec<u8> {
    [place, symbol << 32 | kind, addend]
        .iter()
        .flat_map(|field| field.to_le_bytes())
        .collect()
}

#[test]
fn relocations_named_by_many_sections_are_read_once() {
    let mut made = Made::new(false);
    let place = made.put(&[0; 1 << 16]);
    made.section(Header {
        name: ".data",
        kind: PROGBITS,
        flags: ALLOC,
        address: 0x1000,
        place,
        ..Header::default()
    });
    let symbols = made.dynamic_symbols(&["f"]);
    // One place, then bitmaps that stand for 63 each.
    let mut words = 0x1000_u64.to_le_bytes().to_vec();
    words.resize(1 << 14, 0xff);
    let relative = made.put(&words);
    let full = made.put(&relocation(0x1000, 0, 8, 0x2000).repeat(700));
    for _ in 0..1000 {
        made.section(Header {
            kind: RELR,
            place: relative,
            entry: 8,
            ..Header::default()
        });
        made.section(Header {
            kind: RELA,
            place: full,
            link: symbols,
            entry: 24,
            ..Header::default()
        });
    }
    let bytes = made.finish();
    let len = bytes.len();
    let (most, program) = most(|| parse(bytes));
    assert!(program.is_ok());
    assert!(most < 16 * len, "{most} bytes for a file of {len}");
}

/// A file that runs where it was linked, with this code at 0x40_0000; it may get more sections.
fn fixed(code: &[u8]) -> Made {
    let mut made = Made::fixed();
    let place = made.put(code);
    made.section(Header {
        name: ".text",
        kind: PROGBITS,
        flags: CODE,
        address: 0x40_0000,
        place,
        ..Header::default()
    });
    made
}

/// The same of as many no-operations.
fn idle(len: usize) -> Made {
    fixed(&vec![0x90; len])
}

/// One function at 0x40_0000 that runs where it was linked, followed by data.
fn one_function(code: &[u8], data: &[u8]) -> Vec<u8> {
    let mut made = fixed(code);
    let place = made.put(data);
    made.section(Header {
        name: ".rodata",
        kind: PROGBITS,
        flags: ALLOC,
        address: 0x80_0000,
        place,
        ..Header::default()
    });
    made.finish()
}

/// `jmp *table(,%rax,8)`
fn jump(table: u32) -> Vec<u8> {
    [&[0xff, 0x24, 0xc5], &table.to_le_bytes()[..]].concat()
}

#[test]
fn jumps_through_as_many_tables_as_there_are_jumps_take_no_longer_each() {
    let sites = 40_000;
    let code: Vec<u8> = (0..sites).flat_map(|i| jump(0x1000_0000 + i)).collect();
    let program = parse(one_function(&code, &[0; 8])).unwrap();
    let (_, facts) = most(|| Facts::of(&program.images()[0], 0));
    assert_eq!(facts.get(Fact::IndirectJumps), u64::from(sites));
}

#[test]
fn a_table_behind_as_many_checks_as_there_are_jumps_is_not_kept_for_each() {
    let checks = 4096_u32;
    // cmp $limit, %eax; ja behind the jump; jmp *0x800000(,%rax,8)
    let site = |limit: u32| {
        let check = [&[0x3d], &limit.to_le_bytes()[..], &[0x77, 7]].concat();
        [check, jump(0x80_0000)].concat()
    };
    let code: Vec<u8> = (1..=checks).flat_map(site).collect();
    let table: Vec<u8> = (0..u64::from(checks))
        .flat_map(|i| (0x40_0000 + i * 2).to_le_bytes())
        .collect();
    let program = parse(one_function(&code, &table)).unwrap();
    let (most, facts) = most(|| Facts::of(&program.images()[0], 0));
    assert_eq!(facts.get(Fact::JumpTables), u64::from(checks));
    let len = code.len() + table.len();
    assert!(most < 128 * len, "{most} bytes for {len}");
}

#[test]
fn sections_that_share_their_bytes_without_end_are_refused() {
    let shared = |sections: u64| {
        let mut made = Made::fixed();
        let place = made.put(&[0x90; 1 << 16]);
        for i in 0..sections {
            made.section(Header {
                kind: PROGBITS,
                flags: CODE,
                address: 0x40_0000 + (i << 16),
                place,
                ..Header::default()
            });
        }
        parse(made.finish())
    };
    assert_eq!(shared(4).unwrap().images()[0].code_bytes(), 4 << 16);
    match shared(1000) {
        Err(CodeError::Damaged { offset, what, .. }) => {
            // Of one of the first headers, for the file is not much longer than the code and the
            // headers.
            assert!((1 << 16..1 << 18).contains(&offset), "{offset:#x}");
            assert!(what.contains("again and again"), "{what}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn as_many_sections_as_there_can_be_take_no_longer_each() {
    let sections = 60_000;
    let mut made = Made::fixed();
    let (start, _) = made.put(&vec![0xc3; sections]);
    for i in 0..sections as u64 {
        made.section(Header {
            kind: PROGBITS,
            flags: CODE,
            address: 0x40_0000 + i * 16,
            place: (start + i, 1),
            ..Header::default()
        });
    }
    let bytes = made.finish();
    let (_, program) = most(|| parse(bytes));
    assert_eq!(program.unwrap().images()[0].functions().len(), sections);
}

/// Unwind entries of functions that begin a step apart and all reach to the end of the code. They
/// begin with a frame in place, as pieces do; behind what they have in common stands `common`.
fn unwind(entries: u64, step: u64, code: u64, common: &[u8]) -> Vec<u8> {
    // Version 1, no augmentation; factors 1 and -8; the return address is column 16; the frame is
    // 16 bytes above rsp.
    let mut first = vec![0, 0, 0, 0, 1, 0, 1, 0x78, 16, 0x0c, 7, 16];
    first.extend_from_slice(common);
    let mut table = u32::try_from(first.len()).unwrap().to_le_bytes().to_vec();
    table.extend_from_slice(&first);
    for i in 0..entries {
        table.extend_from_slice(&20_u32.to_le_bytes());
        table.extend_from_slice(&u32::try_from(table.len()).unwrap().to_le_bytes());
        table.extend_from_slice(&(0x40_0000 + i * step).to_le_bytes());
        table.extend_from_slice(&(code - i * step).to_le_bytes());
    }
    table
}

fn with_unwind(code: usize, table: &[u8]) -> Vec<u8> {
    let mut made = idle(code);
    let place = made.put(table);
    made.section(Header {
        name: ".eh_frame",
        kind: PROGBITS,
        flags: ALLOC,
        address: 0x80_0000,
        place,
        ..Header::default()
    });
    made.finish()
}

#[test]
fn unwind_entries_that_all_reach_to_the_end_are_not_followed_that_far() {
    let (code, entries) = (200_000, 2000);
    let table = unwind(entries, code / entries, code, &[]);
    let bytes = with_unwind(usize::try_from(code).unwrap(), &table);
    let (_, program) = most(|| parse(bytes));
    let program = program.unwrap();
    let functions = program.images()[0].functions();
    assert_eq!(functions.len() as u64, entries);
    assert!(functions.iter().all(|f| f.size() == code / entries));
}

#[test]
fn what_unwind_entries_have_in_common_is_not_read_for_each_without_end() {
    let table = unwind(5000, 16, 80_000, &[0; 300_000]);
    let bytes = with_unwind(80_000, &table);
    let (_, program) = most(|| parse(bytes));
    assert!(!program.unwrap().images()[0].functions().is_empty());
}

#[test]
fn as_many_pieces_as_there_are_functions_of_the_name_take_no_longer_each() {
    let pairs = 40_000;
    let mut made = idle(pairs * 2);
    let names = ["f", "f.cold"].into_iter().cycle();
    let symbols = names.zip(0x40_0000..).take(pairs * 2);
    made.symbols(SYMTAB, symbols.map(|(name, at)| (name, at, 1, 1)));
    let bytes = made.finish();
    let (_, program) = most(|| parse(bytes));
    let program = program.unwrap();
    let functions = program.images()[0].functions();
    assert_eq!(functions.len(), pairs * 2);
    // The nearest, and the one before where two are.
    for (i, piece) in functions.iter().enumerate().skip(1).step_by(2) {
        assert_eq!(piece.parent(), Some(i - 1));
    }
}

/// As many symbols as fit, all of one long name.
#[test]
fn names_that_many_symbols_share_are_not_copied_for_each() {
    let mut made = Made::new(false);
    let place = made.put(&[0xc3; 64]);
    made.section(Header {
        name: ".text",
        kind: PROGBITS,
        flags: CODE,
        address: 0x1000,
        place,
        ..Header::default()
    });
    let mut text = vec![0];
    text.resize(1 << 16, b'n');
    text.push(0);
    let place = made.put(&text);
    let link = made.section(Header {
        kind: STRTAB,
        place,
        ..Header::default()
    });
    let mut symbols = vec![0; 24];
    for _ in 0..1 << 12 {
        // A function of one byte in the first section.
        symbols.extend_from_slice(&[1, 0, 0, 0, 0x12, 0, 1, 0]);
        symbols.extend_from_slice(&0x1000_u64.to_le_bytes());
        symbols.extend_from_slice(&1_u64.to_le_bytes());
    }
    let place = made.put(&symbols);
    made.section(Header {
        kind: SYMTAB,
        place,
        link,
        entry: 24,
        ..Header::default()
    });
    let bytes = made.finish();
    let size = bytes.len();
    let (most, parsed) = most(|| parse(bytes));
    match parsed {
        Err(CodeError::Damaged { what, .. }) => assert!(what.contains("names"), "{what}"),
        other => panic!("{other:?}"),
    }
    assert!(most < 16 * size, "{most} bytes for {size}");
}

/// A file of a few bytes on the disk that claims four gigabytes of code.
#[test]
fn a_sparse_file_that_begins_as_an_executable_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sparse");
    for arm in [false, true] {
        let mut header = minimal(&[], arm);
        for size in [96, 104] {
            header[size..size + 8].copy_from_slice(&((4_u64 << 30) - 120).to_le_bytes());
        }
        std::fs::write(&path, header).unwrap();
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        if file.set_len(4 << 30).is_err() {
            println!("skipped: needs a file system with sparse files");
            return;
        }
        let (most, opened) = most(|| Program::open(&path));
        match opened {
            Err(CodeError::Damaged {
                offset: 120, what, ..
            }) => {
                assert!(what.contains("4294967176 bytes"), "{what}");
            }
            other => panic!("{other:?}"),
        }
        assert!(most < 1 << 20, "{most}");
    }
}

/// What the walk needs for each byte of a long function: a bit for the start of a block, and a
/// number for each 64 bytes to count them.
#[test]
fn a_long_function_takes_less_memory_than_its_code() {
    for first in [[0xeb, 0xfe], [0, 0]] {
        let mut code = vec![0; 2 << 20];
        code[..2].copy_from_slice(&first);
        // The decoder's own tables are made with the first function.
        let small = parse(minimal(&[0xc3], false)).unwrap();
        let _ = Facts::of(&small.images()[0], 0);
        let program = parse(minimal(&code, false)).unwrap();
        let (most, facts) = most(|| Facts::of(&program.images()[0], 0));
        let loops = u64::from(first[0] != 0);
        assert_eq!(
            [facts.get(Fact::Loops), facts.get(Fact::Blocks)],
            [loops, 1 + loops]
        );
        assert!(most < code.len() / 4, "{most}");
    }
}
