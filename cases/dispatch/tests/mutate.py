"""Runs the interpreter on randomly damaged programs: whatever they are, it must end with 0 or 1 and, after 1, with a message.

    make OUT=build/asan CFLAGS='-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined'
    python3 tests/mutate.py build/asan/sprig-goto 5000 1      the image, how many programs, the seed

Programs that run for more than two seconds are let go: damage makes endless loops.
"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = [p.read_text() for p in sorted(HERE.glob("../programs/*.sprig")) + sorted(HERE.glob("language/*.sprig"))]
TOKEN = re.compile(r'#[^\n]*|"[^"\n]*"|\w+|\s+|.')
WORDS = sorted({t for source in SOURCES for t in TOKEN.findall(source) if not t.startswith("#")})
NUMBERS = ["0", "1", "-1", "2.5", "255", "256", "70000", "2147483647", "-2147483648", "1e18", "nil", "true", '"a"', "[]", "[1, 2]"]


def like(token, tokens, random):
    """Another token of the same sort, so that the program still compiles more often than not."""
    if token[0].isdigit():
        return random.choice(NUMBERS)
    if token[0].isalpha():
        return random.choice([t for t in tokens if t[0].isalpha()])
    if token in "+-*/%&|^..//<<>>":
        return random.choice(["+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>", "..", "<", "==", "and", "or"])
    return token


def damaged(random):
    tokens = TOKEN.findall(random.choice(SOURCES))
    if random.random() < 0.7:
        for _ in range(random.choice((1, 1, 2, 4))):
            at = random.choice([i for i, token in enumerate(tokens) if not token[0].isspace()])
            tokens[at] = like(tokens[at], tokens, random)
        return "".join(tokens).encode("latin-1", "replace")
    for _ in range(random.choice((1, 1, 2, 3, 8))):
        at, other = random.randrange(len(tokens)), random.randrange(len(tokens))
        kind = random.randrange(6)
        if kind == 0:
            del tokens[at]
        elif kind == 1:
            tokens.insert(at, random.choice(WORDS))
        elif kind == 2:
            tokens[at] = random.choice(WORDS)
        elif kind == 3:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif kind == 4:
            low, high = sorted((at, other))
            tokens[at:at] = tokens[low : min(high, low + 60)]
        else:
            tokens[at] = "".join(chr(random.randrange(256)) for _ in range(random.randrange(1, 4)))
        if not tokens:
            tokens = [" "]
    return "".join(tokens).encode("latin-1", "replace")


def main():
    image, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    generator, ends, wrong = random.Random(seed), {0: 0, 1: 0, "let go": 0}, 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "damaged.sprig"
        for number in range(count):
            path.write_bytes(damaged(generator))
            try:
                done = subprocess.run([image, path, "12"], capture_output=True, timeout=2)
            except subprocess.TimeoutExpired:
                ends["let go"] += 1
                continue
            if done.returncode in (0, 1) and (done.returncode == 0 or b"error: " in done.stderr):
                ends[done.returncode] += 1
            else:
                wrong += 1
                kept = pathlib.Path(f"damaged-{seed}-{number}.sprig")
                kept.write_bytes(path.read_bytes())
                print(f"{kept}: ended with {done.returncode}\n{done.stderr.decode(errors='replace')[:400]}")
    print(f"ended well {ends[0]}, with an error {ends[1]}, let go {ends['let go']}, wrongly {wrong}")
    sys.exit(wrong > 0)


main()
