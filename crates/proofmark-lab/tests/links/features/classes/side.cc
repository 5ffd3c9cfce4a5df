#include "classes.h"
Shape *make(int n) {
  made++;
  if (n == 0) return new Shape;
  if (n == 1) return new Square(3);
  return new Both;
}
