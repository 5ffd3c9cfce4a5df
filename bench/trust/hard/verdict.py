"""One run of `proofmark compare` as it is shipped, and what is to be thought of it."""

import os
import random
import re
import signal
import subprocess
import threading
import time

import place
import truth

# Every gate that there is, at the usual margin. A gate that fails says so by its name.
GATES = [("--require", word) for word in ("no-slower", "no-faster", "equivalent", "slower", "faster")] + [("--fail-if", word) for word in ("slower", "faster")]
MARGIN = 1.01
# Whether a condition may be so, and whether it must be, where the truth lies between two bounds.
MAY = {
    "slower": lambda low, high: high > MARGIN,
    "faster": lambda low, high: low < 1 / MARGIN,
    "no-slower": lambda low, high: low <= MARGIN,
    "no-faster": lambda low, high: high >= 1 / MARGIN,
    "equivalent": lambda low, high: low <= MARGIN and high >= 1 / MARGIN,
}
MUST = {"slower": lambda low, high: low > MARGIN, "faster": lambda low, high: high < 1 / MARGIN}
# Seconds after which something happens to the files, and after which proofmark is lost.
HAPPENS, LOST = 5.0, 1800.0
# Seconds for a comparison, for each new build beyond the first, and how often it is doubled where that is said to be too little.
BUDGET, FOR_EACH, DOUBLED = 30, 10, 3


def command(there, doubled=0):
    gates = [word for option, condition in GATES for word in (option, f"{condition}:1%")]
    case = there.case
    prepare = ["--prepare", case.prepare] if case.prepare else []
    own = [] if "--blocks" in case.options else ["--budget", f"{(BUDGET + FOR_EACH * (len(case.new) - 1)) * 2**doubled}s"]
    options = [*own, *case.options, *prepare, "--json", *gates]
    return [there.proofmark, "--store", there.store, "compare", *there.subjects(), *options, "--", *case.command]


def replace_program(there):
    """A program that does half as much takes the place of the new one."""
    other = there.images[1] + ".other"
    subprocess.run(place.compile_program(there.case.program, ["-DWORK=4000000"], other), check=True)
    os.replace(other, there.images[1])
    place.hand_over(os.path.dirname(there.images[1]), there.user)


def write_input(there):
    with open(os.path.join(there.work, "input"), "w") as file:
        file.write("16000000\n")


def ask(there):
    """Exit code, standard output, standard error, seconds."""
    began = time.monotonic()
    happens = {"input": write_input, "replace": replace_program}.get(there.case.event)
    later = threading.Timer(HAPPENS, happens, [there]) if happens else None
    if there.case.event == "resume":
        interrupted(there)
        write_input(there)
    for doubled in range(DOUBLED + 1):
        with there.run(command(there, doubled)) as process:
            try:
                if later and doubled == 0:
                    later.start()
                out, err = process.communicate(timeout=LOST)
            except subprocess.TimeoutExpired:
                raise place.Failed(f"proofmark took longer than {LOST:.0f} s")
            finally:
                if later:
                    later.cancel()
                    later.join()
        if place.over.is_set():
            raise place.Failed("interrupted")
        # The budget is this bench's wish, and what was measured is kept.
        if process.returncode != 2 or "--budget" not in err:
            return process.returncode, out, err, time.monotonic() - began
    raise place.Failed(f"no budget is enough: {err.strip()}")


def interrupted(there):
    """The same question, given up in the middle."""
    with there.run(command(there)) as process:
        try:
            process.communicate(timeout=HAPPENS + 3)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)


def make(folder, bare, proofmark, case, user, captured, seed):
    """A line for each new build. What is not proofmark's fault raises `Failed`."""
    there = place.Place(folder, case, user, captured, proofmark)
    if captured:
        there.capture()
    draw = random.Random(seed)
    measured = [] if case.event == "resume" else [truth.measure(there, bare, draw.randrange(10**9))]
    code, out, err, seconds = ask(there)
    # Not where the files are others now.
    if case.event not in ("input", "replace"):
        measured.append(truth.measure(there, bare, draw.randrange(10**9)))
    told = place.document(out)
    common = {"seconds": round(seconds, 1), "exit": code, "ms": measured[0]["ms"], "load": round(os.getloadavg()[0], 1)}
    bounds = [truth.together(measured, build) for build in range(len(case.new))]
    passed = gates_passed(code, err)
    if code not in (0, 1) or not told:
        return [{**common, "build": build, "truth": bound, **refused(case, code, err)} for build, bound in enumerate(bounds)]
    lines = [{**common, "build": build, "truth": bound, **judged(case, told, build, bound)} for build, bound in enumerate(bounds)]
    for line, bound in zip(lines, bounds):
        line["gates"] = [f"{option} {word}" for option, word in passed if passes_wrongly(option, word, bound, line)]
    return lines


def refused(case, code, err):
    """Right where the reason is named; a crash or bad usage is never right."""
    named = code in (3, 4, 5) and re.search(case.reason, err) is not None
    lines = [*(line for line in err.splitlines() if line.startswith("proofmark:")), *err.splitlines(), "it said nothing"]
    said = next((line for line in lines if re.search(case.reason, line)), lines[0])
    return {"said": "refused", "judged": "refused" if named else "WRONG", "why": said[:400], "gates": []}


def judged(case, told, build, bound):
    """Whether the truth is within the interval of the builds as they are."""
    low, high = bound
    if "conclusion" not in told:
        # Of builds that are one program it is said that their ratio is 1.
        right = low <= 1 <= high
        return {"said": "one program", "judged": "right" if right else "WRONG", "interval": [1.0, 1.0], "why": "nothing was measured"}
    found = told["conclusion"]["comparisons"][build]
    shipped = found.get("as_shipped")
    ratio = (shipped or found)["ratio"]
    pilot = told["pilot"]
    core = "all cores" if pilot["core"] is None else "one core"
    line = {
        "said": found["verdict"], "interval": [ratio["low"], ratio["high"]], "layouts": [found["ratio"]["low"], found["ratio"]["high"]],
        "blocks": told["conclusion"]["blocks"], "rounds": pilot["rounds"], "how": f"{pilot['schedule']['kind']} on {core}", "why": pilot["reason"][:400],
        "warnings": sorted({warning["code"] for warning in told["warnings"]}), "id": told["id"],
    }
    alone = found.get("layout_alone")
    if shipped and alone:
        line["alone"] = [alone["low"], alone["high"]]
    if ratio["low"] <= high and ratio["high"] >= low:
        return {**line, "judged": "right"}
    warned = [warning["found"] for warning in told["warnings"] if re.search(case.reason, warning["found"])]
    return {**line, "judged": "warned" if warned else "WRONG", **({"warned": warned[0][:400]} if warned else {})}


def gates_passed(code, err):
    """The gates that did not say that they failed; none where the command was refused, or where no gate passes."""
    if code not in (0, 1) or "no gate passes" in err:
        return []
    return [(option, word) for option, word in GATES if f"{option} {word}:1% failed" not in err]


def passes_wrongly(option, word, bound, line):
    """Whether a gate passed against the truth: what it required cannot be so; or what it should fail for is so, and the interval denies it.

    Of captured builds a gate speaks for their layouts, of which the build as it is is one: the truth is then as wide as layouts alone can make it.
    """
    low, high = bound
    if option == "--fail-if":
        return line["judged"] == "WRONG" and MUST[word](low, high)
    alone = line.get("alone")
    if alone:
        low, high = min(low, alone[0]), max(high, alone[1])
    return not MAY[word](low, high)
