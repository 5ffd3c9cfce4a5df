/* The graphs that the benchmarks read and write. */
#ifndef GRAPHS_H
#define GRAPHS_H

#include "object.h"

struct object *graph_tuples(struct heap *heap, unsigned size);
struct object *graph_dicts(struct heap *heap, unsigned size);
/* What a compiler makes of a module of so many functions. */
struct object *graph_module(struct heap *heap, unsigned which, unsigned functions);
/* A message as servers send them: a dict of a few entries. */
struct object *graph_message(struct heap *heap, unsigned which);

#endif
