static long calls;
int side(int a) {
  switch (a) {
  case 0: return 11;
  case 1: return 22;
  case 2: return 34;
  case 3: return 45;
  case 4: return 57;
  case 5: return (int)++calls;
  default: return a * 3;
  }
}
