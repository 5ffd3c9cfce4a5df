#!/usr/bin/env python3
"""Makes a history of a real library: bench/bisect/real.py FOLDER.

The published versions of the crate strsim, one commit each, under a small program that asks for
distances of words. cargo gets them from its registry, each version by a package of its own. The
changelog says that `damerau_levenshtein` became faster in 0.11.0. Then, in FOLDER,

    proofmark bisect --good 0.8.0 --bad 0.11.1 --build 'cargo build --release --offline' \\
        --image target/release/words -- {}
"""

import os
import shutil
import subprocess
import sys
import tempfile

VERSIONS = ("0.8.0", "0.9.0", "0.9.1", "0.9.2", "0.9.3", "0.10.0", "0.11.0", "0.11.1")

MANIFEST = """[package]
name = "words"
version = "0.1.0"
edition = "2021"

[dependencies]
strsim = { path = "strsim" }

[workspace]
exclude = ["strsim"]
"""

PROGRAM = """//! Distances between made-up words.

fn word(seed: &mut u32) -> String {
    let mut letter = || {
        *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'a' + (*seed >> 27) as u8 % 26)
    };
    (0..24).map(|_| letter()).collect()
}

fn main() {
    let mut seed = 1;
    let words: Vec<String> = (0..60).map(|_| word(&mut seed)).collect();
    let mut sum = 0;
    for one in &words {
        for other in &words {
            sum += strsim::damerau_levenshtein(one, other);
        }
    }
    println!("{sum}");
}
"""


def fetched(version, place):
    """The files of a version, as cargo gets them."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "src"))
        package = '[package]\nname = "get"\nversion = "0.1.0"\nedition = "2021"\n'
        wanted = f'[dependencies]\nstrsim = "={version}"\n'
        for name, text in {"src/lib.rs": "", "Cargo.toml": package + wanted}.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        subprocess.run(["cargo", "vendor", "--quiet", "got"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        shutil.copytree(os.path.join(folder, "got/strsim"), place)


def main():
    folder = sys.argv[1]
    os.makedirs(os.path.join(folder, "src"))
    files = {"Cargo.toml": MANIFEST, "src/main.rs": PROGRAM, ".gitignore": "/target\n"}
    for name, text in files.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    git = ["git", "-C", folder, "-c", "user.name=Made", "-c", "user.email=made@example.org"]
    subprocess.run([*git, "init", "--quiet", "--initial-branch", "main"], check=True)
    place = os.path.join(folder, "strsim")
    for version in VERSIONS:
        shutil.rmtree(place, ignore_errors=True)
        fetched(version, place)
        locked = ["cargo", "generate-lockfile", "--quiet", "--offline"]
        subprocess.run(locked, cwd=folder, check=True)
        subprocess.run([*git, "add", "--all", "."], check=True)
        subprocess.run([*git, "commit", "--quiet", "--message", f"strsim {version}"], check=True)
        subprocess.run([*git, "tag", version], check=True)


if __name__ == "__main__":
    main()
