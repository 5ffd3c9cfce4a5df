"""What each program prints, worked out without the interpreter: by other algorithms where there is one, else by Python's numbers.

    python3 tests/reference.py NAME N      prints the expected line
"""
import itertools
import math
import sys


def fib(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return f"fib {n} {a}"


def loops(n):
    total = 0
    for i in range(n):
        for j in range(n):
            if ((i ^ j) % 4 == 0 and j < i) or j % 7 == 3:
                total = (total + 3 * i + j) % 1000003
            elif i < j:
                total += 1
    return f"loops {n} {total}"


def sieve(n):
    """By trial division with the primes found so far."""
    primes, checksum = [], 0
    for i in range(2, n + 1):
        if all(i % p for p in itertools.takewhile(lambda p: p * p <= i, primes)):
            primes.append(i)
            checksum = (checksum * 31 + i) % 1000003
    return f"sieve {n} {len(primes)} {checksum}"


def nbody(n, dt=0.01):
    """The same steps in the same order, so that every float is the same."""
    bodies = [
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], 1.0],
        [[1.0, 0.0, 0.01], [0.0, 1.0, 0.02], 0.001],
        [[-1.9, 0.2, 0.0], [-0.08, -0.72, 0.0], 0.0003],
        [[0.1, 3.1, -0.05], [-0.56, 0.02, 0.01], 0.00005],
        [[4.3, -2.4, 0.1], [0.22, 0.39, -0.01], 0.00004],
    ]
    pairs = [(bodies[i], bodies[j]) for i in range(5) for j in range(i + 1, 5)]

    def squared(d):
        return d[0] * d[0] + d[1] * d[1] + d[2] * d[2]

    def between(a, b):
        return [p - q for p, q in zip(a[0], b[0])]

    for _ in range(n):
        for a, b in pairs:
            d = between(a, b)
            size = dt / (squared(d) * math.sqrt(squared(d)))
            mine, theirs = a[2] * size, b[2] * size
            for k in range(3):
                a[1][k] -= d[k] * theirs
                b[1][k] += d[k] * mine
        for position, velocity, _ in bodies:
            for k in range(3):
                position[k] += dt * velocity[k]
    energy = 0.0
    for i, a in enumerate(bodies):
        energy += 0.5 * a[2] * squared(a[1])
        for b in bodies[i + 1:]:
            energy -= a[2] * b[2] / math.sqrt(squared(between(a, b)))
    return f"nbody {n} {math.floor(energy * 1e9)} {math.floor(bodies[1][0][0] * 1e6)}"


def methods(n):
    """Shapes as [kind, first, second]."""
    shapes = [["square", 3, 0], ["rectangle", 4, 5], ["ring", 9, 2], ["square", 11, 0], ["ring", 30, 7], ["rectangle", 1, 80]]

    def area(shape):
        kind, p, q = shape
        return {"square": p * p, "rectangle": p * q, "ring": 3 * (p * p - q * q)}[kind]

    def grow(shape, step):
        kind, p, q = shape
        if kind == "square":
            shape[1] = (p + step) % 97
        elif kind == "rectangle":
            shape[1:] = [(p + step) % 89, (q + 2 * step) % 83]
        else:
            shape[1] = q if p > 60 else p + step

    total = 0
    for turn in range(n):
        for shape in shapes:
            grow(shape, turn % 5 + 1)
            total = (total + area(shape)) % 1000003
        total = (2 * total + sum(map(area, shapes))) % 1000003
    return f"methods {n} {total}"


def strings(n):
    def digest(data):
        value = 5381
        for byte in data:
            value = (value * 33 + byte) % 1000003
        return value

    total, kept = 0, []
    for i in range(n):
        number, words = i * 7919 % 100003, []
        while number:
            words.append(b"d%d%c" % (number % 10, 97 + number % 26))
            number //= 10
        text = b"-".join(words) + b";"
        if i % 8 == 0:
            text = text[::-1]
        if text < b"d5":
            kept.append(text[: len(text) // 2])
        total = (total + digest(text)) % 1000003
    return f"strings {n} {(total + digest(b','.join(kept))) % 1000003}"


def sort(n):
    seed, numbers = 42, []
    for _ in range(n):
        seed = (seed * 1103 + 12345) % 65536
        numbers.append(seed * 13 % 32749)
    checksum = 0
    for number in sorted(numbers):
        checksum = (checksum * 31 + number) % 1000003
    return f"sort {n} {checksum}"


PROGRAMS = {f.__name__: f for f in (fib, loops, sieve, nbody, methods, strings, sort)}

if __name__ == "__main__":
    print(PROGRAMS[sys.argv[1]](int(sys.argv[2])))
