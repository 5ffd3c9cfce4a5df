struct other { long a; char b[3]; };
int side(int a) {
  struct other o = {a, "ab"};
  return (int)o.a + o.b[0];
}
