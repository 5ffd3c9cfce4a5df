static const char *const words[] = {"a long tail", "tail", "not a long tail"};
const char *side(int n) { return words[n]; }
double scaled(double n) { return n * 1.25 + 3.5; }
