/* A way down and back: each level calls the next from one of four places, and the return has to find it. */
#ifndef WALK_H
#define WALK_H

#include <stdint.h>

/* Places from which a level calls the next. */
enum { SITES = 4 };
/* Most levels. */
enum { DEEPEST = 4096 };

/* Keeps a value as it is, in code that is not like that of another place: places stay apart. */
#define MARK(value, place) __asm__ volatile("" : "+r"(value) : "i"(place))

/* What a level makes of the next one's result: order and places matter. */
#define AFTER(result, place) ((result) * 3 + (place))

/* Walks down `depth` levels, each through the place that `choices` has for it, and back.
 * Each choice is below SITES. */
uint64_t walk(const uint8_t *choices, unsigned depth);

#endif
