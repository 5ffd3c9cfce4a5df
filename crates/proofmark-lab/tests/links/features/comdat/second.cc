#include "copies.h"
int second(int a) { return Copies<int>::value(a) * 1000 + shared(); }
