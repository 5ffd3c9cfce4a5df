struct Shape { virtual ~Shape() {} virtual int area() const { return 1; } virtual int twice() const { return 2 * area(); } };
struct Square : Shape {
  int side;
  Square(int s) : side(s) {}
  int area() const override { return side * side; }
#ifdef MORE
  int twice() const override { return side + 1000; }
#endif
};
struct Both : virtual Square { Both() : Square(4) {} };
inline int made = 0;
Shape *make(int n);
