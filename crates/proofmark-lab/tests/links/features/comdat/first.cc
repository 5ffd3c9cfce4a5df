#include "copies.h"
int first(int a) { return Copies<int>::value(a) * 1000 + shared(); }
