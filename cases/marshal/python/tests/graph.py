"""Random graphs of objects, many with cycles: python3 graph.py make SEED | show FILE | rounds COUNT.

make     writes one as marshal data; one of four is damaged
show     reads marshal data and prints what it is, and what is written of it again
rounds   writes and reads COUNT graphs and compares; prints TAP, a test for each hundred"""

import io
import marshal
import random
import sys

SCALARS = (None, True, False, ..., StopIteration, 0, -1, 2**31, -(2**63), 10**40, 0.5, -1e300, 2 - 3j, "", "a", "é", "名", "\ud800",
           b"", b"bytes", "x" * 300, sys.intern("interned"))


def graph(draw, size):
    """A list of up to `size` objects in all, shared or held by themselves."""
    made = [[]]  # what may be referred to again
    left = size

    def key():
        return draw.choice((f"key{draw.randrange(50)}", draw.randrange(1000), (draw.randrange(9), "t"), frozenset({draw.randrange(9), "f"})))

    def one():
        nonlocal left
        left -= 1
        kind = draw.randrange(10)
        if kind < 3 or left < 0:
            return draw.choice(SCALARS)
        if kind == 3:
            return draw.choice(made)
        if kind == 4:
            return {key() for _ in range(draw.randrange(6))}
        count = draw.randrange(8)
        if kind < 7:
            result = tuple(one() for _ in range(count))
        elif kind == 7:
            result = []
            made.append(result)
            result.extend(one() for _ in range(count))
            return result
        else:
            result = {}
            made.append(result)
            for _ in range(count):
                result[key()] = one()
            return result
        made.append(result)
        return result

    made[0].extend(one() for _ in range(min(8, size)))
    return made[0]


def described(value):
    """Words that are the same for two graphs of the same shape with the same values."""
    seen, words = {}, []

    def describe(value):
        if isinstance(value, (list, dict, tuple)) and value != ():
            if id(value) in seen:
                words.append(f"@{seen[id(value)]}")
                return
            seen[id(value)] = len(seen)
        if isinstance(value, (list, tuple)):
            words.append("(["[isinstance(value, list)])
            for item in value:
                describe(item)
        elif isinstance(value, dict):
            words.append("{")
            for key, item in value.items():
                describe(key)
                describe(item)
        elif isinstance(value, (set, frozenset)):
            words.append(f"{type(value).__name__} {sorted(map(described, value))}")
        else:
            words.append(ascii(value))
        words.append(".")

    describe(value)
    return " ".join(words)


def make(seed):
    draw = random.Random(seed)
    data = bytearray(marshal.dumps(graph(draw, draw.choice((3, 10, 40)))))
    if seed % 4 == 0:
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    sys.stdout.buffer.write(data)


def show(file):
    with open(file, "rb") as opened:
        data = opened.read()
    for read in marshal.loads, lambda data: marshal.load(io.BytesIO(data)):
        try:
            value = read(data)
        except (EOFError, MemoryError, TypeError, ValueError) as error:
            print(type(error).__name__, error)
            continue
        print(described(value))
        print(marshal.dumps(value).hex())


def rounds(count):
    draw = random.Random(1)
    print(f"1..{count // 100}")
    for test in range(1, count // 100 + 1):
        wrong = 0
        for _ in range(100):
            value = graph(draw, draw.choice((3, 10, 40)))
            try:
                data = marshal.dumps(value, draw.choice((3, 4)))
                read = (marshal.loads(data), marshal.load(io.BytesIO(data)))
                wrong += {described(one) for one in read} != {described(value)}
            except ValueError:
                wrong += 1
        print(f"{'not ' if wrong else ''}ok {test} - round trips {test * 100 - 99} to {test * 100}", flush=True)


what, argument = sys.argv[1:]
{"make": lambda: make(int(argument)), "show": lambda: show(argument), "rounds": lambda: rounds(int(argument))}[what]()
