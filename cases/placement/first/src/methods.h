/* The selectors: every class has a method for each. */
#ifndef METHODS_H
#define METHODS_H

#define FIELD(X, name) \
    X(get_##name) X(set_##name) X(add_##name) X(clear_##name) X(less_##name) X(same_##name) X(scale_##name)

#define METHODS(X) \
    X(step) \
    FIELD(X, mass) \
    FIELD(X, speed) \
    FIELD(X, heat) \
    FIELD(X, charge) \
    FIELD(X, age) \
    FIELD(X, size) \
    X(kind) \
    X(copy) \
    X(equal) \
    X(hash) \
    X(describe) \
    X(print) \
    X(retain) \
    X(release) \
    X(is_a) \
    X(responds) \
    X(first) \
    X(last) \
    X(total)

#define NUMBER(name) SEL_##name,
enum selector { NONE, METHODS(NUMBER) };

#endif
