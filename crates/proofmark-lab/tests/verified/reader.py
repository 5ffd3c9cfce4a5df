"""A reader of bundles by docs/bundle.md alone: draws the verdicts of comparisons again.

Python's own library, and zstd as a module or as a program. Prints a line for each comparison: the
estimate, the half-width and the spread, as claimed and as the samples give them.
"""

import json
import math
import subprocess
import sys

# Two-sided, of one interval, for 8 to 60 blocks at 95 %: docs/methods.md.
ALPHA = 0.006491


def unpacked(path):
    """The content of the file."""
    packed = open(path, "rb").read()
    try:
        from compression import zstd

        return zstd.decompress(packed)
    except ImportError:
        pass
    try:
        import zstandard

        return zstandard.ZstdDecompressor().decompress(packed)
    except ImportError:
        return subprocess.run(["zstd", "-dc", path], check=True, capture_output=True).stdout


def beta_tail(x, a, b):
    """The regularised incomplete beta function, by its continued fraction (Lentz)."""
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_tail(1 - x, b, a)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
        + a * math.log(x) + b * math.log1p(-x)
    ) / a
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, 400):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + step * d)
            c = 1 + step / c
            fraction *= c * d
    return front * fraction


def t_quantile(tail, freedom):
    """Where Student's distribution has this much beyond it on both sides together."""
    low, high = 0.0, 1e3
    for _ in range(200):
        middle = (low + high) / 2
        beyond = beta_tail(freedom / (freedom + middle * middle), freedom / 2, 0.5)
        low, high = (middle, high) if beyond > tail else (low, middle)
    return low


def effect(block, slice_us, new, base):
    """The mean over the block's rounds of ln(new / base)."""
    arms, runs = block["arms"], block["runs"]
    places = [arms.index(new), arms.index(base)]
    found, at = [], 0
    for count, slices in zip(runs["runs"], runs["slice_us"]):
        order, value = (runs[name][at:at + count] for name in ("order", "value"))
        at += count
        if slices == slice_us and all(place in order for place in places):
            new_value, base_value = (value[order.index(place)] for place in places)
            found.append(math.log(new_value / base_value))
    return sum(found) / len(found)


def main(path):
    lines = unpacked(path).decode().splitlines()
    manifest = json.loads(lines[0])
    assert manifest["format"] == "proofmark-bundle" and manifest["version"] == 1
    records = [json.loads(line) for line in lines[1:1 + manifest["records"]]]
    of = lambda kind: [one["record"] for one in records if one["kind"] == kind]
    pilot, conclusion = of("pilot")[-1], of("conclusion")[-1]
    slice_us = pilot["schedule"].get("slice_us")
    for claimed in conclusion["comparisons"]:
        new, base = ({"kind": "drawn", "build": build} for build in (claimed["build"], 0))
        effects = [effect(block, slice_us, new, base) for block in of("block")]
        n = len(effects)
        mean = sum(effects) / n
        spread = math.sqrt(sum((one - mean) ** 2 for one in effects) / (n - 1))
        half = t_quantile(ALPHA, n - 1) * spread / math.sqrt(n) + claimed["widening"]
        interval = claimed["interval"]
        print(
            interval["estimate"], mean,
            (interval["high"] - interval["low"]) / 2, half,
            claimed["spread"], spread,
        )


main(sys.argv[1])
