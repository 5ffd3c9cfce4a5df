extern int plugins;
__attribute__((constructor)) static void enter(void) { plugins += 3; }
