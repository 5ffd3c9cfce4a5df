"""Prints a parcel that is drawn from a seed: `python3 tests/graph.py SEED`. Many hold cycles; some are damaged."""

import random
import sys

KEYS = "NFTis"


def number(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


class Drawn:
    """A graph, written as it is drawn: what a reference means is known only by what came before."""

    def __init__(self, draw):
        self.draw, self.out, self.left = draw, bytearray(b"P1"), draw.choice((3, 20, 200))
        self.open, self.complete = [], []  # numbers of references
        self.keys = []  # of those that are complete, what can be a key

    def numbered(self):
        return len(self.open) + len(self.complete)

    def put(self, tag, size):
        self.out += tag + number(size)

    def string(self):
        size = self.draw.choice((0, 1, 5, 40))
        self.keys.append(self.numbered())
        self.complete.append(self.numbered())
        self.put(b"s", size)
        self.out += self.draw.randbytes(size)

    def plain(self):
        kind = self.draw.choice(KEYS)
        if kind == "s":
            self.string()
        elif kind == "i":
            self.put(b"i", self.draw.getrandbits(self.draw.choice((3, 10, 64))))
        else:
            self.out += kind.encode()

    def anything(self, depth=0):
        self.left -= 1
        drawn = self.draw.random()
        known = self.open * 2 + self.complete
        if known and drawn < 0.25:
            self.put(b"r", self.draw.choice(known))
        elif depth > 12 or self.left < 0 or drawn < 0.5:
            self.plain()
        else:
            self.container(depth)

    def container(self, depth):
        kind, size = self.draw.choice("([{"), self.draw.randrange(6)
        mine = self.numbered()
        self.open.append(mine)
        self.put(kind.encode(), size)
        for at in range(size):
            if kind == "{":
                self.key(at)
            self.anything(depth + 1)
        self.open.remove(mine)
        self.complete.append(mine)

    def key(self, at):
        """A key of its own kind: an int that no other key of the dict is, in a tuple now and then, or a string."""
        drawn = self.draw.random()
        if drawn < 0.1:
            self.anything(9)  # it may be there twice, or none at all
        elif drawn < 0.4 and self.keys:
            self.put(b"r", self.draw.choice(self.keys))
        elif drawn < 0.6:
            self.complete.append(self.numbered())
            self.put(b"(", 1)
            self.put(b"i", at)
        else:
            self.put(b"i", at)


def damaged(draw, parcel):
    for _ in range(draw.randrange(1, 4)):
        at = draw.randrange(len(parcel))
        if draw.random() < 0.5:
            parcel[at] = draw.randrange(256)
        else:
            del parcel[at : at + draw.randrange(1, 4)]
    return parcel


def main():
    draw = random.Random(int(sys.argv[1]))
    graph = Drawn(draw)
    graph.container(0)
    parcel = damaged(draw, graph.out) if draw.random() < 0.2 else graph.out
    sys.stdout.buffer.write(parcel)


main()
