//! What a disassembler says of a file: its instructions, its symbols, and where direct branches
//! lead by name.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

fn run(tool: &str, option: &str, path: &Path) -> String {
    let mut command = Command::new(tool);
    if option == "-d" {
        command.args(["-z", "--no-show-raw-insn"]);
    }
    let output = command
        .arg(option)
        .arg(path)
        .env("LC_ALL", "C")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{tool} {option} {}",
        path.display()
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// One instruction as the disassembler prints it.
pub(crate) struct Line {
    pub(crate) address: u64,
    pub(crate) mnemonic: String,
    pub(crate) operands: String,
}

/// The instructions of each section by address; objects have several sections that all start at 0.
pub(crate) fn disassemble(tool: &str, path: &Path) -> BTreeMap<String, Vec<Line>> {
    let text = run(tool, "-d", path);
    let mut sections: BTreeMap<String, Vec<Line>> = BTreeMap::new();
    let mut section = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("Disassembly of section ") {
            section = name.trim_end_matches(':').to_string();
            continue;
        }
        let Some((address, rest)) = line.split_once(':') else {
            continue;
        };
        let Ok(address) = u64::from_str_radix(address.trim(), 16) else {
            continue;
        };
        if !line.starts_with(' ') && !line.starts_with('\t') {
            continue;
        }
        let rest = rest
            .split("# ")
            .next()
            .unwrap_or("")
            .split("//")
            .next()
            .unwrap_or("")
            .trim();
        let mut words = rest.split_whitespace();
        let mut mnemonic = words.next().unwrap_or("").to_string();
        // Prefixes stand in front of the mnemonic.
        while matches!(
            mnemonic.as_str(),
            "lock"
                | "rep"
                | "repz"
                | "repnz"
                | "notrack"
                | "bnd"
                | "data16"
                | "cs"
                | "ds"
                | "es"
                | "addr32"
                | "rex.W"
        ) {
            let next = words.next().unwrap_or("");
            if mnemonic == "lock" {
                mnemonic = format!("lock-{next}");
                break;
            }
            if next.is_empty() {
                break;
            }
            mnemonic = next.to_string();
        }
        let operands = words.collect::<Vec<_>>().join(" ");
        sections.entry(section.clone()).or_default().push(Line {
            address,
            mnemonic,
            operands,
        });
    }
    sections
}

impl Line {
    /// Where a direct branch leads, and the name where it leads to the beginning of what has one:
    /// `1030 <puts@plt>`.
    pub(crate) fn target(&self) -> Option<(u64, Option<&str>)> {
        let (address, rest) = self.operands.split_once(" <")?;
        let address = address.rsplit([' ', ',']).next()?;
        let address = u64::from_str_radix(address.trim_start_matches("0x"), 16).ok()?;
        let name = rest.strip_suffix('>')?;
        // `*ABS*+0x9f0@plt` is the stub of a function without a name.
        let within = name.contains("+0x") && !name.ends_with("@plt");
        Some((address, (!within).then_some(name)))
    }
}

/// A symbol as the disassembler lists it.
pub(crate) struct Symbol {
    pub(crate) section: String,
    pub(crate) address: u64,
    pub(crate) size: u64,
    /// Of a function (`F`), or of one that is chosen when the program is loaded (`i`).
    pub(crate) is_function: bool,
    /// Of the table of exported symbols (`D`).
    pub(crate) is_exported: bool,
    pub(crate) name: String,
}

/// The symbol table; that of exported symbols where the other was stripped.
pub(crate) fn symbols(tool: &str, path: &Path) -> Vec<Symbol> {
    let read =
        |option| -> Vec<Symbol> { run(tool, option, path).lines().filter_map(symbol).collect() };
    let all = read("-t");
    if all.is_empty() { read("-T") } else { all }
}

/// `0000000000001150 g     F .text 0000000000000032 run`: address, seven flags, section and a tab,
/// size, and perhaps a version.
fn symbol(line: &str) -> Option<Symbol> {
    let (address, rest) = line.split_once(' ')?;
    let address = u64::from_str_radix(address, 16).ok()?;
    let (flags, rest) = (rest.get(..7)?, rest.get(8..)?);
    let (section, rest) = rest.split_once('\t')?;
    let mut words = rest.split_whitespace();
    Some(Symbol {
        section: section.to_owned(),
        address,
        size: u64::from_str_radix(words.next()?, 16).ok()?,
        is_exported: flags.contains('D'),
        is_function: flags.contains(['F', 'i']),
        name: words.next_back()?.to_owned(),
    })
}
