struct item { int (*value)(int); };
#define ITEM(name, n) \
  __attribute__((noinline)) static int value_##name(int at) { return n + 0 * at; } \
  static const struct item item_##name = {value_##name}; \
  __attribute__((section("items"), used)) static const struct item *const entry_##name = &item_##name
