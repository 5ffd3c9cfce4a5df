#!/usr/bin/env python3
"""Makes a history of a compiler: bench/bisect/tcc.py FOLDER TARBALL.

TARBALL has the sources of tcc 0.9.27, as `apt-get source --download-only tcc` leaves them on Debian
12. FOLDER gets twenty commits of tcc, a program that it compiles, and a proofmark.toml. Most
commits change what no compiled program shows. The tag `code` is on one that changes every function
and no speed (a byte behind each `ret`), and `slower` on the planted one: divisions by powers of two
are no shifts any more. Then, in FOLDER,

    proofmark bisect --toolchain tcc --good start --bad end
"""

import os
import subprocess
import sys
import tarfile

# tcc behind the words of gcc: it compiles; the system's cc links, and answers all else.
DRIVER = """#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
for word; do
  case $word in
    -dumpversion | --version) exec "$here/tcc" "$word" ;;
    -print-prog-name=cc1) echo "$here/tcc"; exit ;;
    -c) compiles=1 ;;
    -M | -MM | -E | -S) asks=1 ;;
  esac
done
if [ -n "$compiles" ] && [ -z "$asks" ]; then exec "$here/tcc" -B"$here" "$@"; fi
exec cc "$@"
"""

PROGRAM = {
    "main.c": """#include <stdio.h>
unsigned hash(unsigned n);
unsigned sorted(unsigned n);
unsigned walk(unsigned n);
int main(void) {
    unsigned sum = 0;
    for (unsigned at = 0; at < 20; at++) sum += hash(40000) + sorted(600) + walk(60000);
    printf("%u\\n", sum);
    return 0;
}
""",
    "hash.c": """unsigned hash(unsigned n) {
    unsigned state = 1;
    for (unsigned at = 0; at < n; at++) state = state * 31u + state / 16u + at;
    return state;
}
""",
    "sorted.c": """unsigned sorted(unsigned n) {
    unsigned values[600], swaps = 0;
    for (unsigned at = 0; at < n; at++) values[at] = at * 7919u % 601u;
    for (unsigned at = 1; at < n; at++)
        for (unsigned to = at; to > 0 && values[to - 1] > values[to]; to--) {
            unsigned held = values[to];
            values[to] = values[to - 1];
            values[to - 1] = held;
            swaps++;
        }
    return swaps;
}
""",
    "walk.c": """unsigned walk(unsigned n) {
    unsigned length = 0;
    for (unsigned at = 1; length < n; at++)
        for (unsigned now = at; now != 1; now = now & 1 ? now * 3 + 1 : now >> 1) length++;
    return length;
}
""",
}

PROJECT = """[toolchain.tcc]
source = "tcc"
build = "./configure --cc=gcc --extra-cflags=-O1 && make -j{jobs} tcc"
command = "gcc-like-tcc"

[source.program]
path = "program"
build = "for f in *.c; do {cc} -c $f || exit; done; {cc} -no-pie -o program *.o"
image = "program"

[benchmark.all]
command = "{}"
"""

COMMITS, CODE, SLOWER = 20, 6, 13
FILES = ("tccpp.c", "tccgen.c", "tccelf.c", "libtcc.c", "tccasm.c", "tcctools.c", "tccrun.c")


def replaced(path, old, new, times=1):
    with open(path) as file:
        text = file.read()
    assert text.count(old) == times, (path, old)
    with open(path, "w") as file:
        file.write(text.replace(old, new))


def change(tcc, at):
    """The commit's words and tag, once its files are written."""
    if at == 0:
        place = os.path.join(tcc, "gcc-like-tcc")
        with open(place, "w") as file:
            file.write(DRIVER)
        os.chmod(place, 0o755)
        return "a driver that answers as gcc does", "start"
    if at == CODE:
        place = os.path.join(tcc, "x86_64-gen.c")
        replaced(place, "o(0xc3); /* ret */", "o(0xc3); /* ret */ g(0x90);", 2)
        return "a byte of room behind each function", "code"
    if at == SLOWER:
        replaced(os.path.join(tcc, "tccgen.c"), "if (l2 > 0 && (l2 & (l2 - 1)) == 0) {",
                 "if (op == '*' && l2 > 0 && (l2 & (l2 - 1)) == 0) {")
        return "shifts are for multiplications", "slower"
    name = FILES[at % len(FILES)]
    with open(os.path.join(tcc, name), "a") as file:
        file.write(f"\n/* note {at} */\nint tcc_note_{at}(int n) {{ return n + {at}; }}\n")
    return f"note {at} in {name}", "end" if at == COMMITS - 1 else None


def main():
    folder, tarball = sys.argv[1:3]
    tcc, program = os.path.join(folder, "tcc"), os.path.join(folder, "program")
    os.makedirs(program)
    with tarfile.open(tarball) as sources:
        sources.extractall(tcc, filter="data")
    inside = os.listdir(tcc)
    if len(inside) == 1:
        within = os.path.join(tcc, inside[0])
        for name in os.listdir(within):
            os.rename(os.path.join(within, name), os.path.join(tcc, name))
        os.rmdir(within)
    for name, text in PROGRAM.items():
        with open(os.path.join(program, name), "w") as file:
            file.write(text)
    with open(os.path.join(folder, "proofmark.toml"), "w") as file:
        file.write(PROJECT)
    git = ["git", "-C", tcc, "-c", "user.name=Made", "-c", "user.email=made@example.org"]
    subprocess.run([*git, "init", "--quiet", "--initial-branch", "main"], check=True)
    for at in range(COMMITS):
        words, tag = change(tcc, at)
        subprocess.run([*git, "add", "--all", "--force", "."], check=True)
        subprocess.run([*git, "commit", "--quiet", "--message", words], check=True)
        if tag:
            subprocess.run([*git, "tag", tag], check=True)


if __name__ == "__main__":
    main()
