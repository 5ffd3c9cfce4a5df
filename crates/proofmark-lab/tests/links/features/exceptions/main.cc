#include <cstdio>
#include <exception>
struct Low { virtual ~Low() {} virtual int value() const { return 1; } };
struct High : Low { int own; High(int v) : own(v) {} int value() const override { return own; } };
struct Trace { int n; ~Trace() { std::printf("~%d ", n); } };
void thrower(int level);
__attribute__((noinline)) static int guarded(int level) {
  Trace one{level};
  try {
    Trace two{level + 10};
    thrower(level);
    return 0;
  } catch (const High &high) {
    return high.value();
  } catch (const Low &low) {
    return low.value();
  } catch (int n) {
    return n;
  }
}
int main() {
  int sum = 0;
  for (int level = 0; level < LEVEL + 1; level++) sum = sum * 10 + guarded(level);
  try {
    try {
      thrower(LEVEL);
    } catch (...) {
      throw;
    }
  } catch (const std::exception &) {
    sum++;
  } catch (...) {
    sum += 2;
  }
  std::printf("%d\n", sum);
}
