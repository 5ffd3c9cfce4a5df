#include <exception>
struct Low { virtual ~Low() {} virtual int value() const { return 1; } };
struct High : Low { int own; High(int v) : own(v) {} int value() const override { return own; } };
static void deeper(int level) {
  if (level == 1) throw Low();
  if (level == 2) throw High(7);
  if (level == 3) throw 5;
  if (level > 3) throw High(level);
}
void thrower(int level) { deeper(level); }
