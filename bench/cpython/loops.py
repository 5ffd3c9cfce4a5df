"""About 60 ms of what an interpreter does all day: calls, methods, loops, attribute access."""


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


class Counter:
    def __init__(self):
        self.total = 0

    def add(self, value):
        self.total += value


def loops(n):
    counter = Counter()
    for i in range(n):
        counter.add(i & 7)
    return counter.total


print(fib(19), loops(120_000))
