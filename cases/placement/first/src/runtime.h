/* What methods ask of the runtime. */
#ifndef RUNTIME_H
#define RUNTIME_H

#include "object.h"

struct object *make(unsigned kind);
struct object *copy(const struct object *of);
method find(unsigned kind, unsigned selector);
word same(const struct object *one, const struct object *other);
word digest(const struct object *of);
word show(const struct object *of, word how);
word refuse(const struct object *of, unsigned selector);

#endif
