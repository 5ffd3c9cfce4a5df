//! Evidence given away: a comment on it, a bundle with its signature, and what is refused.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{Project, has};

/// A project in which two programs were compared, and the folder that must not be named.
fn compared() -> Project {
    let project = Project::new();
    for (name, factor) in [("base", 1), ("new", 2)] {
        let program = format!(
            "#include <stdio.h>\nint main(void) {{ unsigned x = 1; for (long i = 0; i < {factor}000000L; i++) \
             x = x * 1664525u + 1013904223u; return printf(\"%d\\n\", x == 7) > 0 ? 0 : 1; }}\n"
        );
        project.write("toy.c", &program);
        project.compile("toy.c", name);
    }
    let mut words = vec![
        "compare", "./base", "./new", "--blocks", "2", "--rounds", "1",
    ];
    let data = project.path("toy.c").display().to_string();
    words.extend(["--", "{}", &data]);
    project.done(&words);
    project
}

fn keygen(project: &Project, words: &[&str], input: Option<&Path>) -> (bool, String) {
    let mut command = Command::new("ssh-keygen");
    command.args(words).current_dir(project.path(""));
    command.stdin(input.map_or_else(Stdio::null, |path| fs::File::open(path).unwrap().into()));
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

/// A key of this kind, and its line in a list of signers.
fn key(project: &Project, name: &str, kind: &[&str]) -> String {
    let mut words = vec!["-q", "-N", "", "-C", "", "-f", name, "-t"];
    words.extend(kind);
    let (made, said) = keygen(project, &words, None);
    assert!(made, "{said}");
    let public = fs::read_to_string(project.path(&format!("{name}.pub"))).unwrap();
    format!("{name}@example.org {public}")
}

#[test]
fn a_comment_names_the_bundle_and_no_place() {
    let project = compared();
    let said = project.done(&["report", "--format", "comment"]);
    let file = said.err.split("-o ").nth(1).unwrap();
    let file = file.split('`').next().unwrap();
    let made = project.done(&["bundle", "latest", "-o", file]).out;
    let digest = made
        .lines()
        .find_map(|line| line.strip_prefix("content "))
        .unwrap();
    assert!(said.out.contains(digest), "{said:#?}");
    let of_file = ["report", "--store", file, "--format", "comment"];
    assert_eq!(project.done(&of_file).out, said.out);
    // The private parts are in the file, and still not in the comment.
    project.done(&["bundle", "latest", "--private", "-o", "private.pmb"]);
    let private = project
        .done(&["report", "--store", "private.pmb", "--format", "comment"])
        .out;
    let place = project.path("").display().to_string();
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    for text in [&said.out, &private] {
        assert!(!text.contains(place.trim_end_matches('/')), "{text}");
        assert!(!text.contains(&format!(" {} ", host.trim())), "{text}");
        assert!(text.contains("⟨private"), "{text}");
    }
    // It is the same comment, to be updated in place; another name makes it another one.
    let first = |text: &str| text.lines().next().unwrap().to_owned();
    assert_eq!(first(&private), first(&said.out));
    let link = "https://example.org/x.pmb";
    let mut words = of_file.to_vec();
    words.extend(["--marker", "ci", "--link", link]);
    let other = project.done(&words).out;
    assert_ne!(first(&other), first(&said.out));
    assert!(other.contains(&format!("](<{link}>)")), "{other}");
    let ignored = project.run(&["report", "--marker", "ci"]);
    assert_eq!(ignored.code, Some(2), "{ignored:#?}");
}

#[test]
fn keys_of_each_kind_sign_what_ssh_keygen_and_verify_accept() {
    if !has(&["ssh-keygen", "zstd"]) {
        return;
    }
    let project = compared();
    let kinds: [(&str, &[&str]); 5] = [
        ("ed25519", &["ed25519"]),
        ("p256", &["ecdsa", "-b", "256"]),
        ("p384", &["ecdsa", "-b", "384"]),
        ("p521", &["ecdsa", "-b", "521"]),
        ("rsa", &["rsa", "-b", "2048"]),
    ];
    let lines = kinds.map(|(name, kind)| key(&project, name, kind));
    project.write("signers", &format!("# who may\n{}", lines.concat()));
    for (name, _) in kinds {
        project.done(&["bundle", "latest", "-o", "a.pmb", "--sign", name]);
        let said = project.done(&["verify", "a.pmb", "--allowed-signers", "signers"]);
        let signed = format!("signed by {name}@example.org (SHA256:");
        let words: Vec<&str> = said.out.split_whitespace().collect();
        assert!(words.join(" ").contains(&signed), "{said:#?}");
        // The other way round: its signature by our reader, our signature by its.
        let content = project.path("content");
        let unpacked = Command::new("zstd")
            .args(["-dqf", "a.pmb", "-o", "content"])
            .current_dir(project.path(""))
            .status();
        assert!(unpacked.unwrap().success());
        let who = format!("{name}@example.org");
        let mut words = vec!["-Y", "verify", "-f", "signers", "-I", &who];
        words.extend(["-n", "proofmark-bundle", "-s", "a.pmb.sig"]);
        let (good, said) = keygen(&project, &words, Some(&content));
        assert!(good, "{said}");
        let words = [
            "-Y",
            "sign",
            "-f",
            name,
            "-n",
            "proofmark-bundle",
            "content",
        ];
        let (made, said) = keygen(&project, &words, None);
        assert!(made, "{said}");
        let words = ["verify", "a.pmb", "--allowed-signers", "signers"];
        let own = [&words[..], &["--signature", "content.sig"]].concat();
        project.done(&own);
        fs::remove_file(project.path("content.sig")).unwrap();
    }
    // Packed anew, it is as signed as it was.
    let packed = Command::new("zstd")
        .args(["-19", "-qf", "content", "-o", "a.pmb"])
        .current_dir(project.path(""))
        .status();
    assert!(packed.unwrap().success());
    project.done(&["verify", "a.pmb", "--allowed-signers", "signers"]);
}

#[test]
fn a_bad_signature_is_refused_by_name() {
    if !has(&["ssh-keygen"]) {
        return;
    }
    let project = compared();
    let mine = key(&project, "mine", &["ed25519"]);
    let other = key(&project, "other", &["ed25519"]);
    project.write("signers", &mine);
    let refused = |code: i32, told: &str| {
        let said = project.run(&["verify", "a.pmb", "--allowed-signers", "signers"]);
        assert_eq!(said.code, Some(code), "{told}: {said:#?}");
        assert!(said.err.contains(told), "{told}: {said:#?}");
        assert!(said.out.is_empty(), "{said:#?}");
    };
    project.done(&["bundle", "latest", "-o", "a.pmb"]);
    refused(1, "there is no signature a.pmb.sig");
    project.done(&["bundle", "latest", "-o", "a.pmb", "--sign", "other"]);
    refused(1, "has no such key");
    let unasked = project.done(&["verify", "a.pmb"]).out;
    assert!(unasked.contains("was not checked"), "{unasked}");
    project.done(&["bundle", "latest", "-o", "a.pmb", "--sign", "mine"]);
    project.done(&["verify", "a.pmb", "--allowed-signers", "signers"]);
    let key_of = |line: &str| line.split_once(' ').unwrap().1.to_owned();
    project.write(
        "signers",
        &format!("me namespaces=\"git\" {}", key_of(&mine)),
    );
    refused(1, "line 1 allows it for git only");
    let over = "me valid-before=\"20200101Z\" ";
    project.write("signers", &format!("{other}{over}{}", key_of(&mine)));
    refused(1, "line 2 allowed it earlier only");
    project.write("signers", &format!("me never-heard-of {}", key_of(&mine)));
    refused(5, "line 1 of signers is none");
    project.write("signers", &mine);
    // The same evidence with its private parts is another content.
    let signature = fs::read(project.path("a.pmb.sig")).unwrap();
    project.done(&["bundle", "latest", "--private", "-o", "a.pmb"]);
    refused(5, "is not of this content");
    project.done(&["bundle", "latest", "-o", "a.pmb"]);
    project.done(&["verify", "a.pmb", "--allowed-signers", "signers"]);
    fs::write(project.path("a.pmb.sig"), &signature[..signature.len() / 2]).unwrap();
    refused(5, "is no signature of `ssh-keygen -Y sign`");
    let mut file = fs::File::create(project.path("a.pmb.sig")).unwrap();
    file.write_all(&[0xff; 99]).unwrap();
    refused(5, "it is no text");
    fs::remove_file(project.path("a.pmb.sig")).unwrap();
    // One for another purpose.
    let (made, said) = keygen(
        &project,
        &["-Y", "sign", "-f", "mine", "-n", "file", "a.pmb"],
        None,
    );
    assert!(made, "{said}");
    refused(1, "was made for `file`");
    // A key that is none signs nothing, and writes nothing.
    let none = project.run(&["bundle", "latest", "-o", "b.pmb", "--sign", "signers"]);
    assert_eq!(none.code, Some(4), "{none:#?}");
    assert!(!project.path("b.pmb").exists() && !project.path("b.pmb.sig").exists());
}

/// A bundle with a chain of each kind.
const CORPUS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../bench/fuzz/corpus/bundle/all.pmb"
);

#[test]
fn a_bundle_gives_a_comment_of_what_has_an_answer() {
    let project = Project::new();
    let said = |id: &[&str]| {
        let words = ["report", "--store", CORPUS, "--format", "comment"];
        project.run(&[&words[..], id].concat())
    };
    for (id, kind, told) in [
        ("101d95b3965f", "comparison", "**new is 9 % slower**"),
        (
            "a6ffff3c45fc",
            "null-test",
            "**False alarms of base against itself",
        ),
        (
            "1e1562cbafd9",
            "matrix",
            "**1 build against gcc: 1 undecided**",
        ),
        ("ffaf9016b169", "ledger", "**2 ideas alone: 2 undecided**"),
    ] {
        let comment = said(&[id]);
        assert_eq!(comment.code, Some(0), "{comment:#?}");
        let first = format!("<!-- proofmark-comment {kind} ");
        assert!(comment.out.starts_with(&first), "{}", comment.out);
        assert!(comment.out.contains(told), "{told}: {}", comment.out);
        assert!(
            comment.out.contains("`proofmark verify all.pmb`"),
            "{}",
            comment.out
        );
    }
    for (id, told) in [
        (&["06e64735ce95"][..], "a comment is made of"),
        (&[][..], "holds several results: name one of 00fc587c61c9"),
        (&["0123456789"][..], "there is no evidence"),
    ] {
        let refused = said(id);
        assert_eq!(refused.code, Some(2), "{refused:#?}");
        assert!(refused.err.contains(told), "{told}: {refused:#?}");
        assert!(refused.out.is_empty(), "{refused:#?}");
    }
}

#[test]
fn a_bundle_is_shown_as_what_it_was_made_of() {
    let project = Project::new();
    for (id, told) in [
        ("1e1562cbafd9", "holds a matrix"),
        ("ffaf9016b169", "holds a ledger"),
        ("06e64735ce95", "holds a sweep"),
        ("13ffc4b92acf", "holds a bisection"),
        ("2837d9c3ff2a", "holds an attribution"),
        ("ef244eeb6ae4", "holds an explanation"),
    ] {
        project.done(&["bundle", id, "--store", CORPUS, "-o", "one.pmb"]);
        let refused = project.run(&["report", "--store", "one.pmb"]);
        assert_eq!(refused.code, Some(2), "{refused:#?}");
        assert!(refused.err.contains(told), "{told}: {refused:#?}");
        assert!(refused.out.is_empty(), "{refused:#?}");
        // The command that is offered shows it.
        let offered = refused.err.split('`').nth(1).unwrap();
        let words: Vec<&str> = offered.split(' ').skip(1).collect();
        assert!(!project.done(&words).out.is_empty(), "{offered}");
    }
    project.done(&["bundle", "101d95b3965f", "--store", CORPUS, "-o", "one.pmb"]);
    let shown = project.done(&["report", "--store", "one.pmb"]);
    let told = "is shown as it was written: `proofmark verify";
    assert!(shown.err.contains(told), "{}", shown.err);
    assert!(shown.out.contains("experiment 101d95b3965f"), "{shown:#?}");
    project.write("none.pmb", "no bundle\n");
    let refused = project.run(&["report", "--store", "none.pmb"]);
    assert_eq!(refused.code, Some(2), "{refused:#?}");
    let told = "neither a folder, as a store is, nor a bundle";
    assert!(refused.err.contains(told), "{refused:#?}");
}
