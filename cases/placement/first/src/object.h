/* What an object is, and how it is sent a message. */
#ifndef OBJECT_H
#define OBJECT_H

typedef long word;

struct object {
    unsigned kind; /* the place of its class in classes[] */
    unsigned flags;
    word mass, speed, heat, charge, age, size;
};

typedef word (*method)(struct object *self, word argument);

struct entry {
    unsigned selector;
    method method;
};

struct class {
    const char *name;
    unsigned weight;
    unsigned count;
    const struct entry *table;
};

extern const struct class *const classes[];
extern const unsigned class_count;

word send(struct object *self, unsigned selector, word argument);

#endif
