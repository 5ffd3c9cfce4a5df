"""The commits of the history, one after the other: what each says, and what it changes in the tree before it."""

import dataclasses
from typing import Callable

# A class each. Files are linked by the order of their names, as `make` lists them.
BIRDS = sorted(
    """albatross avocet babbler barbet bittern blackbird bluebird bluethroat bobolink brambling bulbul bullfinch bunting
    bustard buzzard canary capercaillie cardinal cassowary catbird chaffinch chat chickadee chiffchaff chough coot cormorant
    corncrake cotinga courser cowbird crake crane crossbill crow cuckoo curlew dabchick darter dipper dotterel dove drongo
    duck dunlin dunnock eagle egret eider emu falcon fieldfare finch firecrest flamingo flicker flycatcher fulmar gadwall
    gannet garganey godwit goldcrest goldeneye goldfinch goose goshawk grackle grebe greenfinch greenshank grosbeak grouse
    guillemot gull harrier hawfinch hawk heron hobby hoopoe hornbill hummingbird ibis jacana jackdaw jay junco kestrel
    kingfisher kinglet kite kittiwake knot lapwing lark linnet loon lyrebird magpie mallard martin merlin moorhen motmot
    myna nightingale nightjar nuthatch oriole osprey ostrich ouzel owl partridge pelican penguin peregrine petrel phalarope
    pheasant pigeon pintail pipit plover pochard puffin quail""".split()
)
assert len(BIRDS) == 128, len(BIRDS)


@dataclasses.dataclass
class Step:
    message: str
    edits: list[Callable[[dict], None]]
    name: str
    parents: tuple[str, ...] = ()  # names of steps; otherwise the step before
    branch: str = "main"
    tag: str = ""

    def tree(self, before):
        tree = dict(before)
        for edit in self.edits:
            edit(tree)
        assert tree != before or len(self.parents) > 1, f"{self.message} changes nothing"
        return tree


def put(path, anchor, text):
    """Text in front of the only place where the anchor stands."""

    def edit(tree):
        assert tree[path].count(anchor) == 1, (path, anchor)
        tree[path] = tree[path].replace(anchor, text + anchor)

    return edit


def swap(path, old, new):
    def edit(tree):
        assert tree[path].count(old) == 1, (path, old)
        tree[path] = tree[path].replace(old, new)

    return edit


def add(path, text):
    def edit(tree):
        tree[path] = tree.get(path, "") + text

    return edit


def method(name, body):
    """One more method for every class, which nothing here calls: one more line of the cache in each object file."""
    return [
        put("src/methods.h", "\n\n#define NUMBER", f" \\\n    X({name})"),
        put("src/protocol.inc", "\n#define ENTRY", f"METHOD({name}) {{ {body} }}\n"),
    ]


def printing(name, what, form):
    """One more way to print, which nothing here calls."""
    code = f"\nword {name}(const struct object *of) {{\n    return printf(\"{form}\\n\", classes[of->kind]->name, {what});\n}}\n"
    return [put("src/runtime.h", "\n#endif", f"word {name}(const struct object *of);\n"), add("src/report.c", code)]


def readme(text):
    return [add("README", f"\n{text}\n")]


def remark(path, anchor, text):
    """A comment: the program stays the same to the byte."""
    return [put(path, anchor, f"/* {text} */\n")]


HABITATS = "\n/* Where a bird of each order lives. */\nconst char habitats[64][32] = {\n%s};\n" % "".join(
    f'    "{place} {number}",\n' for number in range(16) for place in ("reeds", "cliffs", "woods", "meadows")
)

# The true regression: each message counts.
COUNTING = [
    swap("src/cache.h", "    method method;\n};\n", "    method method;\n    unsigned long used;\n};\n"),
    swap("src/runtime.c", "    return place->method(self, argument);\n", "    place->used++;\n    return place->method(self, argument);\n"),
    swap("src/cache.c", "    return place;\n", "    place->used = 0;\n    return place;\n"),
]

# The true gain: the usual way through send() calls nothing but the method.
MISSED = """static __attribute__((noinline)) word missed(struct object *self, unsigned selector, word argument) {
    struct cached *place = &cache[(self->kind * 8 + selector) % CACHED];
    return fill(place, self->kind, selector)->method(self, argument);
}

"""
APART = [
    put("src/runtime.c", "word send(", MISSED),
    swap("src/runtime.c", "        place = fill(place, self->kind, selector);\n", "        return missed(self, selector, argument);\n"),
]

STATISTICS = """
word statistics(void) {
    unsigned long used = 0;
    for (unsigned at = 0; at < CACHED; at++)
        used += cache[at].used;
    return fprintf(stderr, "%lu messages\\n", used);
}
"""


def history(first):
    """All steps, each after those that it stands on."""
    begin = Step("aviary: classes, methods and messages", [lambda tree: tree.update(first)], "begin", tag="begin")
    told = [
        ("report: the mass of an object", printing("show_mass", "of->mass", "%s weighs %ld")),
        ("readme: how to build it", readme("make builds it, make check compares what it prints.")),
        ("report: the age of an object", printing("show_age", "of->age", "%s is %ld old")),
        ("runtime: say what find() is", remark("src/runtime.c", "method find(", "From front to back: a class has few methods.")),
        ("report: the speed of an object", printing("show_speed", "of->speed", "%s flies at %ld")),
        ("readme: what is in src", readme("src/runtime.c sends messages, src/report.c prints.")),
        ("protocol: objects can be frozen", method("freeze", "return UNUSED, self->flags |= 1;")),
        ("report: the heat of an object", printing("show_heat", "of->heat", "%s has %ld degrees")),
        ("protocol: and thawed", method("thaw", "return UNUSED, self->flags &= ~1u;")),
        ("cache: say what a place is", remark("src/cache.h", "struct cached {", "One place of the cache.")),
        ("report: the charge of an object", printing("show_charge", "of->charge", "%s is charged by %ld")),
        ("readme: ask for bug reports", readme("Reports of errors are welcome.")),
        ("send: count the messages of each place", COUNTING, "regression"),
        ("report: how many messages were sent", [
            swap("src/report.c", '#include "runtime.h"\n', '#include "cache.h"\n#include "runtime.h"\n'),
            add("src/report.c", STATISTICS), put("src/runtime.h", "\n#endif", "word statistics(void);\n")]),
        ("readme: statistics", readme("statistics() prints how many messages were sent.")),
        ("protocol: save and load", method("save", "return UNUSED, self->age - self->charge;")
            + method("load", "return self->age = argument + 1;")),
        ("report: the flags of an object", printing("show_flags", "(word)of->flags", "%s has flags %ld")),
        ("report: habitats", [add("src/report.c", HABITATS)], "data"),
        ("main: say what the loop does", remark("src/main.c", "int main(", "Nothing is allocated while messages are sent.")),
        ("report: the kind of an object", printing("show_kind", "(word)of->kind", "%s is kind %ld"), "fork"),
        ("readme: mention the cache", readme("The cache has 1024 places, and is never emptied.")),
        ("protocol: visitors", method("visit", "return UNUSED, self->heat - self->age;")),
        ("report: mass and age together", printing("show_sum", "of->mass + of->age", "%s: %ld in all"), "trunk"),
    ]  # fmt: skip
    aside = [
        ("protocol: objects check themselves", method("check", "return UNUSED, self->mass | self->size;")),
        ("protocol: repair() mends a negative size", method("repair", "return UNUSED, self->size = -self->size;"), "fix"),
    ]
    merged = [edit for _, edits, *_ in aside for edit in edits]
    later = [
        ("report: how heavy for its age", printing("show_ratio", "of->mass - of->age", "%s: %ld more")),
        ("readme: how to clean", readme("make clean removes what make has built.")),
        ("report: the weight of a class", printing("show_weight", "(word)classes[of->kind]->weight", "%s: %ld each")),
        ("runtime: say what digest() is for", remark("src/runtime.c", "word digest(", "Not for secrets.")),
        ("report: how many methods a class has", printing("show_count", "(word)classes[of->kind]->count", "%s: %ld methods")),
        ("readme: who keeps it", readme("A keeper keeps it.")),
        ("report: speed and heat together", printing("show_motion", "of->speed + of->heat", "%s moves by %ld")),
        ("cache: say when a place is filled", remark("src/cache.c", "struct cached *fill(", "Once for each class and selector.")),
        ("report: age twice", printing("show_twice", "of->age * 2", "%s: twice %ld")),
        ("readme: thanks", readme("Thanks to all who sent messages.")),
        ("report: the square of the mass", printing("show_square", "of->mass * of->mass", "%s: squared %ld")),
        ("report: size and charge", printing("show_rest", "of->size - of->charge", "%s: rest %ld"), "last"),
        ("protocol: tracing", method("trace", "return self->flags ^ argument;"), "back"),
        ("report: the next age", printing("show_next", "of->age + 1", "%s will be %ld")),
        ("readme: birds", readme("There are 128 of them.")),
        ("report: the age before", printing("show_former", "of->age - 1", "%s was %ld")),
        ("main: say what is printed", remark("src/main.c", "#include <stdio.h>", "The sum is printed so that no message is in vain.")),
        ("report: half the mass", printing("show_half", "of->mass / 2", "%s: half %ld")),
        ("readme: no options", readme("There are no options.")),
        ("report: a third of the mass", printing("show_third", "of->mass / 3", "%s: a third %ld")),
        ("send: what is not in the cache is done apart", APART, "gain"),
        ("report: the mass in pounds", printing("show_pounds", "of->mass * 2", "%s: %ld pounds")),
        ("readme: sending is fast", readme("A message that the cache knows calls nothing but its method.")),
        ("protocol: minimum and maximum", method("lower", "return argument < self->mass ? argument : self->mass;")
            + method("upper", "return argument > self->mass ? argument : self->mass;")),
        ("report: the mass in ounces", printing("show_ounces", "of->mass * 35", "%s: %ld ounces")),
        ("object: say what kind is", remark("src/object.h", "struct entry {", "What a class knows of a method.")),
        ("report: the mass in grains", printing("show_grains", "of->mass * 15432", "%s: %ld grains")),
        ("readme: no warranty", readme("It comes without any warranty.")),
        ("report: the wings of an object", printing("show_wings", "of->mass > 0 ? 2l : 0l", "%s has %ld wings")),
        ("report: the legs of an object", printing("show_legs", "of->mass > 0 ? 2l : 1l", "%s has %ld legs")),
        ("readme: the end", readme("The end.")),
    ]  # fmt: skip
    yield begin
    yield from line(told, "")
    yield from line(aside, "fork", "repairs")
    yield Step("Merge branch 'repairs'", merged, "merge", ("trunk", "fix"), tag="merge")
    yield from line(later, "merge")


def line(commits, after, branch="main"):
    """Commits one after the other, the first one behind the step of that name."""
    for message, edits, *name in commits:
        name = name[0] if name else message
        tag = "" if name == message else name
        yield Step(message, edits, name, (after,) if after else (), branch, tag)
        after = ""
