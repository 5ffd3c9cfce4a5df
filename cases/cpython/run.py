"""Runs one of pyperformance's programs as one process of fixed work: run.py NAME SIZE. Prints what the program computed."""

import sys
import time
import types

# The programs ask pyperf for the time and nothing else.
sys.modules["pyperf"] = types.SimpleNamespace(perf_counter=time.perf_counter)
sys.path.insert(0, "fetched/benchmarks")


def nbody(program, steps):
    program.bench_nbody(1, program.DEFAULT_REFERENCE, steps)
    return program.report_energy()


def float_(program, points):
    highest = program.benchmark(points)
    return highest.x, highest.y, highest.z


def raytrace(program, width):
    picture = []
    program.Canvas.write_ppm = lambda canvas, _: picture.append(hash(bytes(canvas.bytes)))
    program.bench_raytrace(1, width, width, "kept")
    return picture


# hexiom compares its solution itself; deltablue checks its constraints and prints when one does not hold.
RUN = {
    "deltablue": lambda program, size: program.delta_blue(size),
    "fannkuch": lambda program, size: program.fannkuch(size),
    "float": float_,
    "go": lambda program, games: [program.versus_cpu() for _ in range(games)],
    "hexiom": lambda program, loops: program.main(loops, program.DEFAULT_LEVEL) >= 0,
    "nbody": nbody,
    "raytrace": raytrace,
    "richards": lambda program, loops: program.Richards().run(loops),
}

name, size = sys.argv[1], int(sys.argv[2])
print(name, RUN[name](__import__(name), size))
