#!/usr/bin/env python3
"""Makes a history of a small program: bench/bisect/history.py FOLDER [COMMITS [FACTOR]].

A real +3 % (or FACTOR, as 1.3) at one commit, a peak that is placement and nothing else, and
noise: commits that change code which never decides how long it takes. Within the peak there are 96
more functions that never run, of a cache line each: as many that do run begin at one offset modulo
4096, in one set of the instruction cache, which has no room for them. The tags are `start`,
`slower` (the first commit with the +3 %), `peak` and `over` (the first commits of the peak and
behind it) and `end`.
"""

import os
import subprocess
import sys

MAIN = """#include <stdio.h>
extern const volatile unsigned bound;
unsigned bystander(unsigned);
unsigned fib(unsigned);
unsigned walk(unsigned);
int main(void) {
    unsigned sum = 0;
    for (unsigned at = 0; at < bound; at++) sum += fib(12) + walk(sum);
    printf("%u\\n", (sum + bystander(sum)) != 0);
    return 0;
}
"""
FIB = "unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n"
STEPS = 96
# A step takes one line of the cache. Behind it stand 62 of code that never runs, in the peak 63.
WALK = """#include "cold.h"
#define STEP(i) \\
    __attribute__((aligned(64), noinline)) \\
    static unsigned step##i(unsigned n) { return n ^ i##u; } \\
    void cold##i(void) { __asm__(".skip 3992"); } \\
    EXTRA(i)
""" + "".join(f"STEP({at})\n" for at in range(STEPS)) + f"""
static unsigned (*const volatile steps[])(unsigned) = {{
    {", ".join(f"step{at}" for at in range(STEPS))}
}};
unsigned walk(unsigned n) {{ for (int at = 0; at < {STEPS}; at++) n = steps[at](n); return n; }}
"""
MAKE = """CFLAGS = -O1 -fno-toplevel-reorder
prog: main.o bystander.o fib.o walk.o bound.o filler.o
\tcc -no-pie -o prog main.o bystander.o fib.o walk.o bound.o filler.o
walk.o: cold.h
"""
# Code that never runs, so that builds share nearly all of theirs, as two states of a program do.
FILLER = "".join(
    f"unsigned filler{at}(unsigned n) {{ return n % {at + 3}u ? n / {at + 5}u + {at}u : n * {at + 7}u - (n >> 3); }}\n"
    for at in range(200))
# Calls of fib(12), each with 96 steps: some 10 ms.
BOUND = 8000


def bystander(constant):
    """Code before the hot functions that runs once."""
    steps = "".join(f"    n = n * {2 * step + 3}u ^ {constant}u;\n" for step in range(4))
    return f"unsigned bystander(unsigned n) {{\n{steps}    return n + {constant}u;\n}}\n"


def cold(is_peak):
    """What stands behind a step and the code that never runs."""
    extra = 'void extra##i(void) { __asm__(".skip 40"); }' if is_peak else ""
    return f"#define EXTRA(i) {extra}\n"


def bound(factor):
    return f"const volatile unsigned bound = {round(BOUND * factor)};\n"


def files(constant, is_peak, factor):
    return {"main.c": MAIN, "fib.c": FIB, "walk.c": WALK, "filler.c": FILLER, "Makefile": MAKE,
            "bystander.c": bystander(constant), "cold.h": cold(is_peak), "bound.c": bound(factor)}


def states(count, factor):
    """The constant, whether it is in the peak, and the factor of each commit."""
    slower, peak, over = slower_at(count), count * 3 // 10, count * 34 // 100
    for at in range(count):
        yield 1000 + at, peak <= at < over, factor if at >= slower else 1.0


def slower_at(count):
    return count * 617 // 1000


def stream(count, factor):
    tags = {0: "start", slower_at(count): "slower", count * 3 // 10: "peak", count * 34 // 100: "over",
            count - 1: "end"}
    before = {}
    for at, state in enumerate(states(count, factor)):
        text = f"change {at}\n"
        yield f"commit refs/heads/main\nmark :{at + 1}\ncommitter Made <made@example.org> {1600000000 + 3600 * at} +0000\n"
        yield f"data {len(text)}\n{text}"
        if at:
            yield f"from :{at}\n"
        now = files(*state)
        for name, content in now.items():
            if before.get(name) != content:
                yield f"M 100644 inline {name}\ndata {len(content)}\n{content}\n"
        before = now
        yield "\n"
        if at in tags:
            yield f"reset refs/tags/{tags[at]}\nfrom :{at + 1}\n\n"
    yield "done\n"


def main():
    folder, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    factor = float(sys.argv[3]) if len(sys.argv) > 3 else 1.03
    os.makedirs(folder)
    git = ["git", "-C", folder]
    subprocess.run([*git, "init", "--quiet", "--initial-branch", "main"], check=True)
    text = "".join(stream(count, factor)).encode()
    subprocess.run([*git, "fast-import", "--quiet", "--done"], input=text, check=True)
    subprocess.run([*git, "checkout", "--quiet", "main"], check=True)


if __name__ == "__main__":
    main()
