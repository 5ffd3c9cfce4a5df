"""Where a verdict is made: a folder of its own with the builds in it, and the user that it is made by."""

import contextlib
import json
import os
import pwd
import subprocess
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
NOBODY = "nobody"


# What runs for a verdict at this moment; nothing begins once it is over.
running, over = set(), threading.Event()


class Failed(Exception):
    """Something other than proofmark did not work."""


def end():
    """Ends what runs, and lets nothing else begin."""
    over.set()
    for process in list(running):
        process.terminate()


@contextlib.contextmanager
def started(words, **how):
    """A process that goes when this one is told to go."""
    if over.is_set():
        raise Failed("interrupted")
    process = subprocess.Popen(words, text=True, **how)
    running.add(process)
    try:
        if over.is_set():
            process.terminate()
        yield process
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        running.discard(process)


def done(words, **how):
    """Exit code, standard output and standard error."""
    with started(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how) as process:
        out, err = process.communicate()
    if over.is_set():
        raise Failed("interrupted")
    return process.returncode, out, err


def as_user(user):
    """What is put in front of a command so that `user` runs it, with no other rights."""
    if user == "root" or os.geteuid() != 0:
        return []
    who = pwd.getpwnam(user)
    return ["setpriv", f"--reuid={who.pw_uid}", f"--regid={who.pw_gid}", "--clear-groups", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]


def hand_over(folder, user):
    """Gives a folder and what is in it to the user."""
    if user == "root" or os.geteuid() != 0:
        return
    who = pwd.getpwnam(user)
    for parent, folders, files in os.walk(folder):
        for name in [parent, *(os.path.join(parent, each) for each in folders + files)]:
            os.chown(name, who.pw_uid, who.pw_gid, follow_symlinks=False)


def compile_program(program, words, out):
    source = os.path.join(HERE, "programs", program + ".c")
    return ["cc", "-O2", "-pthread", *words, "-o", out, source]


class Place:
    """The folder of one verdict."""

    def __init__(self, folder, case, user, captured, proofmark):
        self.folder, self.case, self.user, self.captured, self.proofmark = folder, case, user, captured, proofmark
        self.work, self.store = os.path.join(folder, "work"), os.path.join(folder, "store")
        os.makedirs(self.work)
        os.makedirs(self.store)
        for name, text in case.files.items():
            with open(os.path.join(self.work, name), "w") as file:
                file.write(text)
        self.labels = ["base", *(f"new{number}" if len(case.new) > 1 else "new" for number in range(1, len(case.new) + 1))]
        self.images, self.commands = [], []
        for number, (label, words) in enumerate(zip(self.labels, [case.base, *case.new])):
            home = os.path.join(folder, label)
            os.makedirs(home)
            name = case.names[min(number, 1)] if case.names else case.program
            command = compile_program(case.program, [*case.common, *words], os.path.join(home, name))
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                raise Failed(done.stderr)
            for beside, text in case.beside.items() if number > 0 else ():
                with open(os.path.join(home, beside), "w") as file:
                    file.write(text)
            self.images.append(os.path.join(home, name))
            self.commands.append(command)
        hand_over(folder, user)

    def run(self, words):
        """Starts a command as the user, in the folder of the verdict."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return started([*as_user(self.user), *words], cwd=self.work, env=self.environment(), **pipes)

    def environment(self):
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TERM")}
        return {**kept, "HOME": self.folder, "NO_COLOR": "1", "TMPDIR": self.folder}

    def capture(self):
        """Captures every build; none by a name that another has."""
        for label, command in zip(self.labels, self.commands):
            words = [self.proofmark, "--store", self.store, "capture", label, "--", *command]
            with self.run(words) as process:
                out, err = process.communicate()
            if process.returncode != 0:
                raise Failed(f"capture failed: {out}{err}")

    def subjects(self):
        if self.captured:
            return self.labels
        return [f"{label}={image}" for label, image in zip(self.labels, self.images)]


def document(text):
    """A JSON document, or none."""
    try:
        return json.loads(text)
    except ValueError:
        return None
