"""What is true: the user's own files, run in turn as a shell would run them, before proofmark's comparison and after it.

The ratio of a build is the mean over rounds of ln(new ÷ base), the tenth of the rounds at each end left out; its interval is drawn from the
rounds again (bootstrap, percentiles, 99 %). The truth of a comparison is known no better than its two measurements agree: from the lower
end of one to the upper end of the other.
"""

import contextlib
import fcntl
import math
import os
import random
import statistics
import subprocess

import place

# CPU time of the runs of one measurement of the truth, in seconds, and its fewest and most rounds.
SECONDS, ROUNDS = 2.5, (20, 600)
TRIMMED = 0.1
DRAWS = 400
ACCOUNTS = ("/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup")


def runner(folder):
    """Compiles the program that makes the runs."""
    out = os.path.join(folder, "bare")
    subprocess.run(["cc", "-O2", "-o", out, os.path.join(place.HERE, "bare.c")], check=True)
    return out


@contextlib.contextmanager
def group():
    """A cgroup that accounts for CPU time; `None` where this user can make none."""
    for root in ACCOUNTS:
        if not os.path.exists(os.path.join(root, "cgroup.procs")):
            continue
        own = os.path.join(root, f"proofmark-hard-{os.getpid()}-{random.randrange(10**9)}")
        try:
            os.mkdir(own)
        except OSError:
            continue
        try:
            if any(os.path.exists(os.path.join(own, name)) for name in ("cpuacct.usage", "cpu.stat")):
                yield own
                return
        finally:
            with contextlib.suppress(OSError):
                os.rmdir(own)
    yield None


@contextlib.contextmanager
def core():
    """A core on which nobody measures, held as proofmark holds it: by a lock of its folder. `None` where all are taken."""
    allowed = os.sched_getaffinity(0)
    for number in sorted(allowed, reverse=True):
        try:
            held = os.open(f"/sys/devices/system/cpu/cpu{number}", os.O_RDONLY)
        except OSError:
            continue
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield number
            return
        except BlockingIOError:
            continue
        finally:
            os.close(held)
    yield None


def rounds(there, bare, count, seed):
    """Microseconds of CPU time, a list for each image."""
    case = there.case
    words = [str(count), str(seed % 2**31), "", case.prepare, str(len(there.images)), *there.images, *case.command]
    with contextlib.ExitStack() as held:
        start = []
        if case.unreaped:
            account = held.enter_context(group())
            if account is None:
                raise place.Failed("children that nobody waits for need a cgroup to be counted by: run it as root")
            words[2] = account
            start = ["sh", "-c", 'echo $$ > "$0/cgroup.procs"; exec "$@"', account]
        if not case.cores:
            number = held.enter_context(core())
            start += ["taskset", "--cpu-list", str(number)] if number is not None else []
        command = [*start, *place.as_user(there.user), bare, *words]
        code, out, err = place.done(command, cwd=there.work, env=there.environment())
    if code != 0:
        raise place.Failed(f"bare runs failed: {err.strip()}")
    lines = [[float(number) for number in line.split()] for line in out.splitlines()]
    return [list(column) for column in zip(*lines)]


def trimmed(values):
    cut = int(len(values) * TRIMMED)
    return statistics.fmean(sorted(values)[cut : len(values) - cut])


def interval(base, new, mean, seed):
    """The ratio and its 99 % interval."""
    logs = [math.log(b / a) for a, b in zip(base, new)]
    draw = random.Random(seed)
    again = sorted(mean(draw.choices(logs, k=len(logs))) for _ in range(DRAWS))
    return [math.exp(value) for value in (again[1], mean(logs), again[-2])]


def measure(there, bare, seed):
    """For each new build: low, ratio and high; and milliseconds of a run of the base."""
    case = there.case
    if case.long:
        times = rounds(there, bare, 2, seed)
        ratios = [[b / a for a, b in zip(times[0], new)] for new in times[1:]]
        return {"ratios": [[min(each), statistics.fmean(each), max(each)] for each in ratios], "ms": times[0][0] / 1e3, "rounds": 2}
    first = rounds(there, bare, 3, seed)
    each = sum(statistics.median(column) for column in first) / 1e6
    count = int(min(max(SECONDS / max(each, 1e-4), ROUNDS[0]), ROUNDS[1]))
    times = rounds(there, bare, count, seed + 1)
    mean = statistics.fmean if case.by_chance else trimmed
    ratios = [interval(times[0], new, mean, seed) for new in times[1:]]
    return {"ratios": ratios, "ms": statistics.median(times[0]) / 1e3, "rounds": count}


def together(measured, build):
    """The bounds of the truth of one new build, by all of its measurements."""
    found = [each["ratios"][build] for each in measured]
    return min(each[0] for each in found), max(each[2] for each in found)


