#include <stdio.h>
extern int trail;
__attribute__((constructor(200))) static void early(void) { trail = trail * 10 + 3; }
__attribute__((constructor)) static void plain(void) { trail = trail * 10 + 4; }
__attribute__((destructor(200))) static void last(void) { printf(" two"); }
static void before(int c, char **v, char **e) { trail = 7 + 0 * c; (void)v; (void)e; }
__attribute__((section(".preinit_array"), used)) static void (*const hook)(int, char **, char **) = before;
int side(void) { return trail + 1; }
