"""A reader of bundles by docs/bundle.md alone: draws the verdicts of comparisons again.

Python's own library, and zstd as a module or as a program. Prints a line for each file behind the
text, its digest and its length; and one for each comparison: the estimate, the half-width and the
spread, as claimed and as the samples give them.
"""

import json
import math
import subprocess
import sys

# Two-sided, of one interval, for 8 to 60 blocks at 95 %: docs/methods.md.
ALPHA = 0.006491


def frame_end(packed, at):
    """Where a frame of zstd ends: RFC 8878, section 3.1.1."""
    descriptor = packed[at + 4]
    single, checksum = descriptor >> 5 & 1, descriptor >> 2 & 1
    size = (single, 2, 4, 8)[descriptor >> 6]
    at += 5 + (not single) + (0, 1, 2, 4)[descriptor & 3] + size
    last = 0
    while not last:
        head = int.from_bytes(packed[at:at + 3], "little")
        last, kind, length = head & 1, head >> 1 & 3, head >> 3
        at += 3 + (1 if kind == 1 else length)
    return at + 4 * checksum


def unpacked(packed):
    """The content of a frame of zstd."""
    try:
        from compression import zstd

        return zstd.decompress(packed)
    except ImportError:
        pass
    try:
        import zstandard

        return zstandard.ZstdDecompressor().decompress(packed)
    except ImportError:
        return subprocess.run(["zstd", "-dc"], input=packed, check=True, capture_output=True).stdout


def files(packed, at, manifest):
    """The files behind the text, by their digests; where there is a module for BLAKE3, checked."""
    found = {}
    for file in manifest.get("files", []):
        assert packed[at:at + 4] == b"\x50\x2a\x4d\x18", "a skippable frame"
        end = at + 8 + int.from_bytes(packed[at + 4:at + 8], "little")
        content = unpacked(packed[at + 8:end])
        assert len(content) == file["bytes"]
        try:
            import blake3

            assert blake3.blake3(content).hexdigest() == file["digest"]
        except ImportError:
            pass
        found[file["digest"]] = content
        at = end
    assert at == len(packed), "nothing stands behind them"
    return found


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
    with open(path, "rb") as file:
        packed = file.read()
    end = frame_end(packed, 0)
    lines = unpacked(packed[:end]).decode().splitlines()
    manifest = json.loads(lines[0])
    assert manifest["format"] == "proofmark-bundle" and manifest["version"] in (1, 2)
    for digest, content in files(packed, end, manifest).items():
        print(digest, len(content))
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
