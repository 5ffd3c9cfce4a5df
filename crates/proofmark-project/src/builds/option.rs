//! What options of a compiler mean to each other: each with its value, in one spelling, and which
//! of several counts.

/// Options whose value is the next word.
const WITH_VALUE: [&str; 17] = [
    "-mllvm",
    "-Xclang",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xlinker",
    "-include",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-target",
    "--param",
    "-D",
    "-U",
    "-I",
    "-L",
    "-x",
    "-arch",
];

/// Of several of one family the last counts; a family is given by how its options begin.
const FAMILIES: [&[&str]; 8] = [
    &["-O"],
    &["-std=", "-ansi"],
    &[
        "-fPIC", "-fpic", "-fPIE", "-fpie", "-fno-pic", "-fno-PIC", "-fno-pie", "-fno-PIE",
    ],
    &["-fstack-protector", "-fno-stack-protector"],
    &["-m32", "-m64", "-mx32", "-m16"],
    &["-target ", "--target="],
    &["-fuse-ld=", "--ld-path="],
    &["-pie", "-no-pie", "-static-pie", "-nopie"],
];

/// Options of which several hold side by side, by what stands in their names.
const SIDE_BY_SIDE: [&str; 10] = [
    "prefix-map",
    "plugin",
    "sanitize",
    "-list",
    "module",
    "dump",
    "-exclude-",
    "disable-",
    "enable-",
    "opt-info",
];

/// Instructions of x86-64, each of which needs those before it: a compiler that is told to do without
/// these does without the later ones too.
const VECTORS: [&[&str]; 9] = [
    &["sse"],
    &["sse2"],
    &["sse3"],
    &["ssse3"],
    &["sse4.1", "sse4"],
    &["sse4.2"],
    &["avx"],
    &["avx2", "fma", "f16c"],
    &["avx512"],
];

/// Options that stand for several, each with those whose taking back changes what it means.
const SUMS: [(&str, &[&str]); 2] = [
    (
        "-ffast-math",
        &[
            "-fno-unsafe-math-optimizations",
            "-fno-associative-math",
            "-fno-reciprocal-math",
            "-fno-finite-math-only",
            "-fsigned-zeros",
            "-ftrapping-math",
            "-fmath-errno",
        ],
    ),
    (
        "-funsafe-math-optimizations",
        &[
            "-fno-associative-math",
            "-fno-reciprocal-math",
            "-fsigned-zeros",
            "-ftrapping-math",
        ],
    ),
];

/// Options as they are meant: each with its value, in one spelling.
pub(super) fn units(words: &[String]) -> Vec<String> {
    let words: Vec<&str> = words.iter().flat_map(|word| apart(word)).collect();
    let mut units = Vec::new();
    let mut rest = words.into_iter();
    while let Some(word) = rest.next() {
        let value = WITH_VALUE.contains(&word).then(|| rest.next()).flatten();
        units.push(match (word, value) {
            ("-D" | "-U" | "-I" | "-L", Some(value)) => format!("{word}{value}"),
            ("--param", Some(value)) => format!("{word}={value}"),
            (_, Some(value)) => format!("{word} {value}"),
            (_, None) => by_one_name(word).to_owned(),
        });
    }
    units
}

/// The words that a word stands for: compilers are told these, and note them.
fn apart(word: &str) -> Vec<&str> {
    match word.strip_prefix("-Wp,") {
        Some(list) => list.split(',').collect(),
        None if word == "--coverage" => vec!["-fprofile-arcs", "-ftest-coverage"],
        None => vec![word],
    }
}

/// Options of the driver itself, which a compiler is not told: the language, what to keep, where
/// the driver's own files are, words for the assembler.
pub(super) fn is_of_the_driver(unit: &str) -> bool {
    let starts = [
        "-x",
        "-save-temps",
        "-Wa,",
        "-Xassembler",
        "-B",
        "-specs=",
        "-pipe",
    ];
    starts.iter().any(|start| unit.starts_with(start))
}

/// clang notes options by the names that they stand for.
fn by_one_name(word: &str) -> &str {
    match word {
        "-flto=full" | "-flto=auto" | "-flto=jobserver" => "-flto",
        // So many jobs.
        word if word.strip_prefix("-flto=").is_some_and(is_number) => "-flto",
        "-O" => "-O1",
        "-ftree-vectorize" => "-fvectorize",
        "-ftree-slp-vectorize" => "-fslp-vectorize",
        word => word,
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Options for the linker: a compilation does not see them.
pub(super) fn is_of_the_link(unit: &str) -> bool {
    [
        "-Wl,",
        "-l",
        "-L",
        "-Xlinker",
        "-fuse-ld=",
        "--ld-path=",
        "-static",
        "-shared",
        "-rdynamic",
    ]
    .iter()
    .any(|start| unit.starts_with(start))
        || matches!(unit, "-pie" | "-no-pie" | "-s")
}

/// Whether a later option undoes an earlier one: says the opposite of it, or the same with another
/// value.
pub(super) fn takes_back(later: &str, earlier: &str) -> bool {
    if later == earlier {
        return false;
    }
    let family = |flag: &str| {
        let begins = |starts: &&[&str]| starts.iter().any(|start| flag.starts_with(start));
        FAMILIES.iter().position(begins)
    };
    if let (Some(one), Some(other)) = (family(later), family(earlier)) {
        return one == other;
    }
    if is_part_of(later, earlier) {
        return true;
    }
    if let (Some(one), Some(other)) = (macro_of(later), macro_of(earlier)) {
        return one == other;
    }
    if let (Some(one), Some(other)) = (parameter(later), parameter(earlier)) {
        return one == other;
    }
    let (Some(later), Some(earlier)) = (Setting::of(later), Setting::of(earlier)) else {
        return false;
    };
    if later.name != earlier.name {
        return false;
    }
    let side_by_side = SIDE_BY_SIDE.iter().any(|part| later.name.contains(part));
    match (later.off != earlier.off, side_by_side) {
        // `-fno-sanitize=vptr` leaves `-fsanitize=address` alone.
        (true, true) => matches!(later.value, None | Some("all")) || later.value == earlier.value,
        (opposite, side_by_side) => opposite || !side_by_side,
    }
}

/// Whether an option takes back what an earlier one stands for or needs, by another name.
fn is_part_of(later: &str, earlier: &str) -> bool {
    let sum = SUMS.iter().find(|(sum, _)| *sum == earlier);
    let vector = |name: &str| {
        let is =
            |of: &&[&str]| of.contains(&name) || of == &["avx512"] && name.starts_with("avx512");
        VECTORS.iter().position(is)
    };
    let needs = match (later.strip_prefix("-mno-"), earlier.strip_prefix("-m")) {
        (Some(off), Some(on)) => match (vector(off), vector(on)) {
            (Some(off), Some(on)) => off < on,
            _ => false,
        },
        _ => false,
    };
    let has_debug = earlier.starts_with("-g") && later == "-g0";
    needs || has_debug || sum.is_some_and(|(_, parts)| parts.contains(&later))
}

/// The macro that an option defines or takes away.
fn macro_of(flag: &str) -> Option<&str> {
    let text = flag
        .strip_prefix("-D")
        .or_else(|| flag.strip_prefix("-U"))?;
    text.split(['=', '(']).next()
}

/// The name of a `--param`.
fn parameter(flag: &str) -> Option<&str> {
    let text = flag.strip_prefix("--param")?;
    text.trim_start_matches([' ', '=']).split('=').next()
}

/// `-fNAME`, `-mNAME=VALUE`, `-fno-NAME`.
struct Setting<'a> {
    /// With the letter in front.
    name: String,
    value: Option<&'a str>,
    off: bool,
}

impl Setting<'_> {
    fn of(flag: &str) -> Option<Setting<'_>> {
        let kind = flag.strip_prefix('-')?.chars().next()?;
        let rest = flag.get(2..).filter(|_| "fm".contains(kind))?;
        // A word with its value behind a blank, such as `-mllvm -x=1`, is of another kind.
        if rest.contains(' ') {
            return None;
        }
        let name = rest.strip_prefix("no-").unwrap_or(rest);
        let (name, value) = match name.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (name, None),
        };
        Some(Setting {
            name: format!("{kind}{name}"),
            value,
            off: rest.starts_with("no-"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_several_counts() {
        for (earlier, later) in [
            ("-O3", "-O2"),
            ("-march=native", "-march=x86-64"),
            ("-DNDEBUG", "-UNDEBUG"),
            ("-DX=1", "-DX=2"),
            ("-UX", "-DX"),
            ("-falign-functions=64", "-falign-functions=16"),
            ("-falign-functions=64", "-falign-functions"),
            ("-ffp-contract=fast", "-ffp-contract=off"),
            ("-fvisibility=hidden", "-fvisibility=default"),
            (
                "--param max-inline-insns-auto=1",
                "--param max-inline-insns-auto=2",
            ),
            ("--param=x=1", "--param x=2"),
            ("-mprefer-vector-width=512", "-mprefer-vector-width=256"),
            ("-fPIE", "-fno-pic"),
            ("-fstack-protector-all", "-fno-stack-protector"),
            ("-fsanitize=address", "-fno-sanitize=all"),
            ("-fsanitize=address", "-fno-sanitize=address"),
            ("-fvectorize", "-fno-vectorize"),
            ("-mno-avx2", "-mavx2"),
            ("-no-pie", "-pie"),
            ("-mavx512f", "-mno-avx"),
            ("-mavx512vl", "-mno-sse4"),
            ("-mavx2", "-mno-sse3"),
            ("-mfma", "-mno-avx"),
            ("-ffast-math", "-fno-unsafe-math-optimizations"),
            ("-g3", "-g0"),
            ("-ggdb", "-g0"),
        ] {
            assert!(takes_back(later, earlier), "{earlier} {later}");
            assert!(!takes_back(earlier, earlier), "{earlier}");
        }
        for (earlier, later) in [
            ("-DX=1", "-DXY=2"),
            ("-fsanitize=address", "-fsanitize=undefined"),
            ("-fsanitize=address", "-fno-sanitize=vptr"),
            ("-fplugin=a.so", "-fplugin=b.so"),
            ("-ffile-prefix-map=a=b", "-ffile-prefix-map=c=d"),
            ("-mllvm -x=1", "-mllvm -y=1"),
            ("-falign-loops=64", "-falign-functions=16"),
            ("-I/a", "-I/b"),
            ("-O3", "-fno-inline"),
            ("-mavx", "-mno-avx512f"),
            ("-mavx2", "-mno-fma"),
            ("-mno-avx2", "-mno-avx"),
            ("-ffast-math", "-fno-math-errno"),
            ("-g", "-g3"),
        ] {
            assert!(!takes_back(later, earlier), "{earlier} {later}");
        }
    }
}
