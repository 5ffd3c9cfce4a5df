/* The cache of methods: which method a class has for a selector. */
#ifndef CACHE_H
#define CACHE_H

#include "object.h"

enum { CACHED = 1024 };

struct cached {
    unsigned kind;
    unsigned selector;
    method method;
};

extern struct cached cache[CACHED];

struct cached *fill(struct cached *place, unsigned kind, unsigned selector);

#endif
