// A cold function, and a data word, by which two builds of objects.cpp differ.
#include <cstdio>
#include <string>

#ifndef WORD
#define WORD 1
#endif

extern const int word = WORD;

[[gnu::noinline, gnu::cold]] int complain(const std::string &what) {
  std::fprintf(stderr, "%s (%d)\n", what.c_str(), word);
#if WORD > 1
  std::fputs("this is what the patch adds\n", stderr);
#endif
  return 1;
}
