"""The tables: false alarms, detections, coverage, blocks and seconds, from recordings replayed under the shipped rule."""

import collections
import glob
import json
import math
import os
import random
import statistics
import subprocess

DIFFERENT = {"faster", "slower", "faster-but-negligible", "slower-but-negligible"}


def bounds(hits, tries):
    """95 % interval of a share (Wilson 1927)."""
    if tries == 0:
        return 0.0, 1.0
    z, share = 1.959964, hits / tries
    middle = (share + z * z / 2 / tries) / (1 + z * z / tries)
    half = z / (1 + z * z / tries) * math.sqrt(share * (1 - share) / tries + z * z / 4 / tries / tries)
    return max(0.0, middle - half), min(1.0, middle + half)


def share(hits, tries):
    low, high = bounds(hits, tries)
    return f"{hits} of {tries}: {100 * hits / max(tries, 1):.1f} % [{100 * low:.1f}, {100 * high:.1f}]"


def over_recordings(verdicts, says, draws=4000):
    """95 % interval of a share when recordings are drawn and not verdicts: those of one recording share a pilot and a minute of the machine."""
    groups = collections.defaultdict(list)
    for each in verdicts:
        groups[each["recording"]].append(bool(says(each)))
    groups, draw = list(groups.values()), random.Random(1)
    shares = []
    for _ in range(draws):
        picked = draw.choices(groups, k=len(groups))
        shares.append(sum(map(sum, picked)) / sum(map(len, picked)))
    shares.sort()
    return f"{len(groups)} recordings; drawn by recording [{100 * shares[draws // 40]:.1f}, {100 * shares[-draws // 40]:.1f}]"


def load(folder, replay):
    """Every verdict: what was compared, how, what was found, and what it took."""
    groups = collections.defaultdict(list)
    for path in sorted(glob.glob(os.path.join(folder, "recordings", "*.json"))):
        recording = json.load(open(path))
        groups[recording["cell"]].append(recording)
    for recordings in groups.values():
        recordings.sort(key=lambda recording: recording["at"])
    asked = json.dumps([[each["report"]["id"] for each in recordings] for recordings in groups.values()])
    evidence = os.path.join(folder, "evidence")
    answers = subprocess.run([replay, evidence], input=asked, check=True, capture_output=True, text=True).stdout.splitlines()
    verdicts, cut_off, agree = [], 0, []
    for (cell, recordings), answer in zip(groups.items(), answers):
        size, program, kind, way = cell.split("/")
        answer = json.loads(answer)
        cut_off += answer["cut_off"] > 0
        if size == "footprint":
            agree.append(own_words(recordings[0], answer))
        for stretch in answer["stretches"]:
            piece, recording = answer["pieces"][stretch["piece"]], recordings[stretch["piece"]]
            block_seconds = recording["report"]["conclusion"]["took_ms"] / 1e3 / len(piece["effects"])
            # A recording that was interrupted and continued has only its last part in its seconds.
            once = max(0.0, recording["seconds"] - recording["report"]["conclusion"]["took_ms"] / 1e3)
            verdicts.append({
                **stretch, "recording": (cell, stretch["piece"]), "size": size, "program": program, "kind": kind, "way": way, "schedule": schedule(piece),
                "widening": piece["widening"], "load": recording["load"], "population": "shuffle" if "shuffle" in way else "pad",
                "seconds": once + stretch["blocks"] * block_seconds, "layouts": piece["layouts"]["kind"],
            })
    return verdicts, cut_off, agree


def own_words(recording, answer):
    """Whether the replay of a comparison that stopped by itself says what the tool itself concluded."""
    concluded, first = recording["report"]["conclusion"], answer["stretches"][0]
    ratio = concluded["comparisons"][0]["ratio"]
    close = all(abs(ratio[ours] - first[theirs]) < 1e-9 for ours, theirs in (("estimate", "estimate"), ("low", "low"), ("high", "high")))
    return close and concluded["blocks"] == first["blocks"] and concluded["comparisons"][0]["verdict"] == first["verdict"]


def schedule(piece):
    return piece["schedule"]["kind"]


def different(verdict):
    return verdict["verdict"] in DIFFERENT


def holds(verdict, ratio):
    return verdict["low"] <= ratio <= verdict["high"]


def middle(verdicts, key):
    return statistics.median(each[key] for each in verdicts)


def zero_row(name, verdicts):
    alarms = sum(map(different, verdicts))
    small = sum("negligible" in each["verdict"] for each in verdicts)
    says = collections.Counter(each["verdict"] for each in verdicts)
    total = len(verdicts)
    cost = f"{middle(verdicts, 'spread') * 100:.2f} % | {middle(verdicts, 'blocks'):.0f} | {middle(verdicts, 'seconds'):.1f}"
    return f"| {name} | {share(alarms, total)} | {small} | {100 * says['equivalent'] / total:.0f} % | {100 * says['undecided'] / total:.0f} % | {cost} |"


def zero(verdicts):
    print("| pairs without a difference | called different | of these inside ±1 % | equivalent | undecided at 60 | spread of a block | blocks | seconds |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    print(zero_row("all", verdicts))
    for name, of in (("program", "program"), ("kind", "kind"), ("schedule", "schedule"), ("population", "population"), ("way asked for", "way")):
        for value in sorted({each[of] for each in verdicts}):
            print(zero_row(f"{name}: {value}", [each for each in verdicts if each[of] == value]))
    for name, picked in (("up to the margin", lambda s: s <= 0.01), ("above the margin", lambda s: s > 0.01)):
        some = [each for each in verdicts if picked(each["spread"])]
        if some:
            print(zero_row(f"spread {name}", some))


def effects(verdicts, known):
    print("| program | way | asked | truth | found on the right side | wrong side | truth inside the interval | spread of a block | blocks | seconds |")
    print("| --- | --- | --- | ---: | --- | ---: | --- | ---: | ---: | ---: |")
    cells = sorted({(each["program"], each["way"], each["size"]) for each in verdicts}, key=lambda c: (c[1] != "auto, pad", c[1], c[0], int(c[2][1:-1])))
    inside = tried = 0
    for program, way, size in cells:
        some = [each for each in verdicts if (each["program"], each["way"], each["size"]) == (program, way, size)]
        ratio = known[program]["effects"][size]
        right = sum(each["verdict"].startswith("slower") for each in some)
        wrong = sum(each["verdict"].startswith("faster") for each in some)
        held = sum(holds(each, ratio) for each in some)
        inside, tried = inside + held, tried + len(some)
        cost = f"{middle(some, 'spread') * 100:.2f} % | {middle(some, 'blocks'):.0f} | {middle(some, 'seconds'):.1f}"
        print(f"| {program} | {way} | {size} | {ratio:.4f} | {share(right, len(some))} | {wrong} | {share(held, len(some))} | {cost} |")
    by_recording = over_recordings(verdicts, lambda each: holds(each, known[each["program"]]["effects"][each["size"]]))
    print(f"\nTruth inside the interval, all of them: {share(inside, tried)}; {by_recording}.")


def certificates(folder):
    """How well the instrument saw the tax of exactly one margin, 1 %, where it was measured."""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "recordings", "*.json"))):
        certificate = json.load(open(path))["report"]["conclusion"].get("certificate") or {}
        if certificate.get("kind") == "measured":
            found.append(certificate)
    if found:
        seen = sum(each["says"] == "seen" for each in found)
        held = sum(each["ratio"]["low"] <= 1.01 <= each["ratio"]["high"] for each in found)
        middle = statistics.median(each["ratio"]["estimate"] for each in found)
        print(f"\nA tax of 1 %: seen in {seen} of {len(found)} recordings; inside the interval in {share(held, len(found))}; estimates have the median {middle:.4f}.")


def walks(folder):
    print("Equal work over 1.5 and 0.75 MiB; whole runs in turn, before and after each comparison, are the truth.\n")
    print("| way | schedule chosen | new/base | whole runs before, after | their mean inside | widening | blocks | seconds | why |")
    print("| --- | --- | --- | --- | --- | ---: | ---: | ---: | --- |")
    for path in sorted(glob.glob(os.path.join(folder, "recordings", "footprint*.json"))):
        recording = json.load(open(path))
        report = recording["report"]
        found, pilot = report["conclusion"]["comparisons"][0], report["pilot"]
        ratio = found["ratio"]
        before, after = (each["ratio"] for each in recording["truth"])
        inside = "yes" if ratio["low"] <= math.sqrt(before * after) <= ratio["high"] else "no"
        interval = f"{ratio['estimate']:.3f} [{ratio['low']:.3f}, {ratio['high']:.3f}]"
        slices = pilot["schedule"]["kind"] + (f" {pilot['schedule']['slice_us'] // 1000} ms" if pilot["schedule"]["slice_us"] else "")
        print(
            f"| {recording['cell'].split('/')[3]} | {slices} | {interval} | {before:.3f}, {after:.3f} | {inside} "
            f"| {found.get('widening', 0):.4f} | {report['conclusion']['blocks']} | {recording['seconds']:.1f} | {pilot['reason']} |"
        )


def show(folder, replay):
    path = os.path.join(folder, "truth.json")
    known = json.load(open(path)) if os.path.exists(path) else {}
    verdicts, cut_off, agree = load(folder, replay)
    print(f"Replayed, {sum(agree)} of {len(agree)} comparisons that stopped by themselves come out as the tool concluded.")
    loads = sorted(each["load"] for each in verdicts)
    print(f"{len(verdicts)} verdicts; {cut_off} last stretches were cut off, slow ones more often than quick ones. Load while recording: median {loads[len(loads) // 2]:.1f}, {loads[0]:.1f} to {loads[-1]:.1f}.\n")
    print("| program | run, ms | start-up, share of a run | off the line, at most |")
    print("| --- | ---: | --- | ---: |")
    for program, each in ((program, each) for program, found in known.items() for each in found.get("measured", [])):
        print(f"| {program} | {each['run_ms']:.1f} | {each['start_share']:.4f} [{each['low']:.4f}, {each['high']:.4f}] | {each['off_the_line'] * 100:.1f} % |")
    nothing = [each for each in verdicts if each["size"] == "0%"]
    if nothing:
        print()
        zero(nothing)
        print(f"\nAlarms: {share(sum(map(different, nothing)), len(nothing))}; {over_recordings(nothing, different)}.")
    certificates(folder)
    something = [each for each in verdicts if each["size"].startswith("+")]
    if something:
        print()
        effects(something, known)
    if glob.glob(os.path.join(folder, "recordings", "footprint*.json")):
        print()
        walks(folder)
