"""One process of fixed work: bench.py KIND N. Prints a hash of what was computed, the same one
each time with PYTHONHASHSEED=0.

tuple, dict, code   reads the same N times from memory
dumps               writes the tuple, the dict and the code N times
import              imports N modules of a kind, each once
library             imports modules of the standard library, N of them"""

import gc
import marshal
import os
import sys

LIBRARY = """argparse ast base64 calendar cmd codeop configparser contextlib copy csv dataclasses decimal difflib dis email.charset
    email.message enum filecmp fileinput fnmatch fractions functools getopt gettext glob graphlib gzip heapq html.parser
    http.client inspect ipaddress json linecache locale logging mailbox mimetypes optparse pathlib pickle pickletools
    platform plistlib pprint profile pstats random re sched shelve shlex shutil smtplib socketserver statistics string
    subprocess tarfile tempfile textwrap threading timeit tokenize traceback types typing urllib.request uuid
    warnings xml.dom.minidom zipapp zipfile""".split()


def small_tuple():
    return (1, 20000, "three", None, (4.5, b"six"), ("three", True))


def nested_dict():
    return {f"user{i}": {"id": i, "name": f"name {i}", "tags": ["a", "b", f"tag {i}"], "at": (i * 0.5, i * 1.5),
                         "more": {"seen": i % 2 == 0, "by": None}} for i in range(40)}


def code():
    """The code of a module, as its .pyc has it."""
    with open(f"{os.path.dirname(os.__file__)}/__pycache__/dataclasses.{sys.implementation.cache_tag}.pyc", "rb") as file:
        return marshal.loads(file.read()[16:])


def loads(value, times):
    data = marshal.dumps(value)
    gc.disable()
    for _ in range(times):
        read = marshal.loads(data)
    return marshal.dumps(read)


def dumps(times):
    values = small_tuple(), nested_dict(), code()
    gc.disable()
    for _ in range(times):
        written = [marshal.dumps(value) for value in values]
    return b"".join(written)


def imports(names):
    seen = [len(vars(__import__(name))) for name in names]
    return repr((len(sys.modules), seen)).encode()


def main(kind, n):
    if kind == "import":
        sys.path.insert(0, "fetched/modules")
        result = imports(f"module{i:03}" for i in range(n))
    elif kind == "library":
        result = imports(LIBRARY[:n])
    elif kind == "dumps":
        result = dumps(n)
    else:
        result = loads({"tuple": small_tuple, "dict": nested_dict, "code": code}[kind](), n)
    print(kind, n, len(result), hash(result))


main(sys.argv[1], int(sys.argv[2]))
