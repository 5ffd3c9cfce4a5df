#ifdef MORE
__thread int more[7] = {1, 2};
#endif
__thread int depth = 3;
__thread long zeroed[4];
static __thread int own = 5;
__attribute__((noinline)) int part(int a) {
  zeroed[1] += depth++;
  own += a;
#ifdef MORE
  own += more[1]++;
#endif
  return (int)zeroed[1] * 100 + own;
}
