"""Calls abs() 300,000 times; hot.patch makes each call dearer by a loop."""


def work(n):
    total = 0
    for i in range(n):
        total += abs(i)
    return total


print(work(300_000))
