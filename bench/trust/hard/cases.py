"""The programs that are hard to measure: what each is built of, and by what words a refusal or a warning names the reason."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    """A comparison of two builds or more of one program."""

    kind: str
    name: str
    program: str
    # Words for the compiler: of all builds, of the base, of each new one.
    base: tuple
    new: tuple
    common: tuple = ()
    # `{}` is the image.
    command: tuple = ("{}",)
    # Files in the folder where the command runs, and beside the first new build.
    files: dict = field(default_factory=dict)
    beside: dict = field(default_factory=dict)
    # What the files of the builds are called, where not as the program.
    names: tuple = ()
    # More words for `proofmark compare`.
    options: tuple = ()
    prepare: str = ""
    # What happens while proofmark is at work: see `events.py`.
    event: str = ""
    # What a refusal or a warning must say to have named the reason.
    reason: str = r"(?!)"
    # Nobody is told what its children use: the truth needs a cgroup.
    unreaped: bool = False
    # It uses several cores: nothing else is measured meanwhile, and bare runs are free to use all of them.
    cores: bool = False
    # What the cores share is what it measures: nothing else is measured meanwhile.
    alone: bool = False
    # The truth is a mean of logarithms with nothing trimmed away: the program takes one of two ways by chance.
    by_chance: bool = False
    # The same bytes do different things: it can only be asked of files, and not of captured builds.
    files_only: bool = False
    # Takes so long that one verdict has to do.
    long: bool = False


def work(turns, *more):
    """`turns` take about a microsecond for each thousand."""
    return (f"-DWORK={turns}", *more)


def beats(how, period):
    common = (f"-DHOW={how}", f"-DPERIOD={period}")
    return [
        Case("timers", f"{WHAT_GOES_OFF[how]}, dearer", "timers", work(8000000, "-DBEAT=100000"), (work(8000000, "-DBEAT=400000"),), common, reason=HELD_UP),
        Case("timers", f"{WHAT_GOES_OFF[how]}, more work", "timers", work(8000000, "-DBEAT=100000"), (work(8800000, "-DBEAT=100000"),), common, reason=HELD_UP),
    ]


WHAT_GOES_OFF = {1: "interval timer", 2: "POSIX timer", 3: "timer of CPU time", 4: "limit of a wait", 5: "timer as a file"}

# Footprints that just fit each level of the usual machine, in KiB, and steps of some ten milliseconds.
LEVELS = {"L1": (20, 6000000), "L2": (400, 2500000), "L3": (4096, 700000), "memory": (40960, 70000)}


def walk(level):
    kib, steps = LEVELS[level]
    return (f"-DKIB={kib}", f"-DSTEPS={steps}")


def walks():
    names = list(LEVELS)
    for at, first in enumerate(names):
        for second in names[at:]:
            base, new = walk(first), walk(second)
            if first == second:
                kib, steps = LEVELS[first]
                new = (f"-DKIB={kib}", f"-DSTEPS={steps + steps // 20}")
            yield Case("caches", f"{first} against {second}", "caches", base, (new,), alone=True)
    yield Case("caches", "900 against 100 KiB", "caches", ("-DKIB=900", "-DSTEPS=1500000"), (("-DKIB=100", "-DSTEPS=3000000"),), alone=True)


BEAT = ("-DBEAT=1000",)
HELD_UP = r"held up by other programs"
UNREAPED = r"reaps (its|some of its) children|children .*(reap|tells nobody)|left its process group|task clock"
SHORT = r"whether its threads or processes meet in so short a time"
OF_CORE = r"times the base's CPU time on core \d+, and [\d.]+ times on core"
LEFT = r"left \d+ process(es)? behind"

CASES = [
    Case("heartbeat", "dearer beat", "heartbeat", work(12000000, "-DBEAT=500000"), (work(12000000, "-DBEAT=2000000"),), reason=HELD_UP),
    Case("heartbeat", "more work", "heartbeat", work(12000000, "-DBEAT=1000000"), (work(12900000, *BEAT),), reason=HELD_UP),
    *walks(),
    Case("threads by affinity", "each costs more", "cores", work(10000000, "-DMORE=0"), (work(10000000, "-DMORE=2500000"),), cores=True),
    Case("threads by affinity", "more work", "cores", work(10000000, "-DMORE=0"), (work(11000000, "-DMORE=0"),), cores=True),
    Case("number of the core", "costs more on odd ones", "numbered", work(8000000, "-DMORE=0"), (work(8000000, "-DMORE=4000000"),), cores=True, reason=OF_CORE),
    Case("spinning and lock-step", "shared line", "shared", ("-DAPART=1",), (("-DAPART=256",),), ("-DTURNS=4000000",), cores=True),
    # Whether two threads meet at all in so short a time is the kernel's choice of cores.
    Case("spinning and lock-step", "shared line, 2 ms", "shared", ("-DAPART=1",), (("-DAPART=256",),), ("-DTURNS=300000",), cores=True, reason=SHORT),
    Case("spinning and lock-step", "lock-step", "lockstep", work(5000000), (work(5500000),), ("-DSTEPS=20",), cores=True, reason=HELD_UP),
    Case("spinning and lock-step", "spins", "spin", work(5000000), (work(5500000),), ("-DYIELD=0",), cores=True, reason=HELD_UP),
    Case("spinning and lock-step", "spins and gives way", "spin", work(5000000), (work(5500000),), ("-DYIELD=1",), cores=True, reason=HELD_UP),
    Case("pipelines", "two processes", "pipeline", ("-DTAKE=5000000",), (("-DTAKE=6000000",),), ("-DMAKE=5000000",), cores=True),
    Case(
        "pipelines", "the shell's", "pipeline", ("-DTAKE=5000000",), (("-DTAKE=6000000",),), ("-DMAKE=5000000",),
        command=("sh", "-c", "$0 make | $0 take", "{}"), cores=True,
    ),
    Case("double forks", "lost its parent", "orphan", work(8000000), (work(8800000),), ("-DHOW=2",), reason=UNREAPED),
    Case("double forks", "in its own session", "orphan", work(8000000), (work(8800000),), ("-DHOW=4",), reason=UNREAPED),
    Case("double forks", "ends at the same moment", "orphan", work(8000000), (work(8800000),), ("-DHOW=6",), reason=f"{UNREAPED}|{LEFT}"),
    Case("children nobody waits for", "reaped by the kernel", "orphan", work(8000000), (work(8800000),), ("-DHOW=1",), reason=UNREAPED, unreaped=True),
    Case("children nobody waits for", "deeper in the tree", "orphan", work(8000000), (work(8800000),), ("-DHOW=3",), reason=UNREAPED, unreaped=True),
    Case("daemons", "goes on", "orphan", ("-DHOW=2",), (("-DHOW=5",),), work(8000000), reason=LEFT),
    Case("daemons", "goes on, exit code ignored", "orphan", ("-DHOW=2",), (("-DHOW=5",),), work(8000000), options=("--ignore-exit",), reason=LEFT),
    *beats(1, 4000),
    *beats(2, 4000),
    *beats(3, 4000),
    *beats(4, 1000),
    *beats(5, 4000),
    Case("timers", "work by the clock", "clock", ("-DMILLISECONDS=10",), (("-DMILLISECONDS=11",),), reason=HELD_UP),
    Case("argv[0]", "same bytes", "named", work(8000000), (work(8000000),), ("-DMORE=4000000",), names=("named", "slow"), files_only=True),
    Case("argv[0]", "other bytes", "named", work(8000000), (work(8400000),), ("-DMORE=4000000",), names=("named", "slow")),
    Case("files beside", "found by the kernel", "beside", work(8000000), (work(8000000),), ("-DHOW=1",), beside={"turns": "13000000\n"}, files_only=True),
    Case("files beside", "found by its name", "beside", work(8000000), (work(8000000),), ("-DHOW=2",), beside={"turns": "13000000\n"}, files_only=True),
    Case("files beside", "other bytes", "beside", work(8000000), (work(8400000),), ("-DHOW=2",), beside={"turns": "13000000\n"}, files_only=True),
    Case(
        "inputs that change", "while it is measured", "input", ("-DMORE=0",), (("-DMORE=1500000",),), command=("{}", "input"),
        files={"input": "8000000\n"}, event="input", reason=r"input, which the runs read",
    ),
    Case(
        "inputs that change", "between interruption and the rest", "input", ("-DMORE=0",), (("-DMORE=1500000",),), command=("{}", "input"),
        files={"input": "8000000\n"}, event="resume", reason=r"input, which the runs read",
    ),
    Case(
        "inputs that change", "the program itself", "plain", work(8000000), (work(8800000),), event="replace",
        reason=r"(is|was) (changed|replaced)|another one now|no longer", files_only=True,
    ),
    Case("growing files", "equal work", "growing", work(8000000), (work(8000001),), command=("{}", "log"), files={"log": ""}, reason=r"\blog\b.*which they read as well"),
    Case("growing files", "more work", "growing", work(8000000), (work(8800000),), command=("{}", "log"), files={"log": ""}, reason=r"\blog\b.*which they read as well"),
    Case("prepared runs", "cold", "cold", work(8000000), (work(6400000),), ("-DCOLD=8000000",), prepare="rm -f kept"),
    Case("bimodal", "by its stack", "bimodal", work(8000000), (work(8400000),), ("-DHOW=1", "-DWAYS=2", "-DMORE=1600000"), by_chance=True),
    Case("bimodal", "by its stack, more often", "bimodal", ("-DWAYS=1",), (("-DWAYS=3",),), work(8000000, "-DHOW=1", "-DMORE=1600000"), by_chance=True),
    Case("bimodal", "by its number", "bimodal", work(8000000), (work(8400000),), ("-DHOW=2", "-DWAYS=2", "-DMORE=1600000"), by_chance=True),
    Case("0.2 ms", "5 % more", "plain", work(150000), (work(170000),), ("-static",), reason=SHORT),
    Case("0.2 ms", "equal", "plain", work(150000), (work(150001),), ("-static",), reason=SHORT),
    Case("far apart", "10 times slower", "plain", work(6000000), (work(62000000),), ("-static",)),
    Case("far apart", "10 times faster", "plain", work(62000000), (work(6000000),), ("-static",)),
    Case("far apart", "100 times slower", "plain", work(500000), (work(60000000),), ("-static",), reason=SHORT),
    Case("far apart", "100 times faster", "plain", work(60000000), (work(500000),), ("-static",), reason=SHORT),
    Case("eight builds", "0 to 7 % more work", "plain", work(8000000), tuple(work(8000000 + 80000 * more + 1) for more in range(7))),
    Case("eight builds", "a heartbeat each", "heartbeat", work(8000000, *BEAT), tuple(work(8000000 + 160000 * more, f"-DBEAT={3000000 - 400000 * more}") for more in range(7)), reason=HELD_UP),
    Case("eight builds", "footprints", "caches", walk("L2"), tuple((f"-DKIB={kib}", "-DSTEPS=2500000") for kib in (8, 20, 100, 200, 390, 700, 900)), alone=True),
    Case("eight builds", "lost their parents", "orphan", work(6000000), tuple(work(6000000 + 120000 * more + 1) for more in range(7)), ("-DHOW=2",), reason=UNREAPED),
    Case("20 s", "5 % more", "plain", work(15000000000), (work(15750000000),), options=("--blocks", "2", "--rounds", "1", "--skip", "instructions"), long=True),
]
