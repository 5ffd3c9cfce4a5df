#include <cstdio>
#include <typeinfo>
#include "classes.h"
int main(int c, char **) {
  int sum = 0;
  for (int i = 0; i < c + 2; i++) {
    Shape *shape = make(i);
    sum = sum * 10 + shape->area() + shape->twice();
    if (dynamic_cast<Square *>(shape)) sum += 3;
    if (typeid(*shape) == typeid(Both)) sum += 5;
    delete shape;
  }
  std::printf("%d %d\n", sum, made);
}
