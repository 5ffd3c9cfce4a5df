extern volatile int zero;
template <class T> struct Copies {
  static int count;
  __attribute__((noinline)) static int value(T of) { return COPY + (int)of + zero + ++count; }
};
template <class T> int Copies<T>::count = 100;
inline int shared() { static int calls = COPY; return ++calls; }
