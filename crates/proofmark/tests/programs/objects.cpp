// Exceptions, templates, virtual calls and objects that are constructed before main: what a linker must leave as it is.
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

int complain(const std::string &what);

namespace {

std::vector<std::string> &registry() {
  static std::vector<std::string> names;
  return names;
}

struct Registered {
  explicit Registered(const char *name) { registry().push_back(name); }
};
const Registered first("first"), second("second");

struct TooLarge : std::runtime_error {
  explicit TooLarge(unsigned value) : std::runtime_error("too large"), value(value) {}
  unsigned value;
};

struct Shape {
  virtual ~Shape() = default;
  virtual unsigned area() const = 0;
};

template <unsigned Sides> struct Polygon : Shape {
  unsigned side;
  explicit Polygon(unsigned side) : side(side) {}
  unsigned area() const override { return Sides * side; }
};

template <typename T> T checked(T value, T limit) {
  if (value > limit) throw TooLarge(value);
  return value;
}

unsigned round(unsigned number) {
  std::vector<std::unique_ptr<Shape>> shapes;
  for (unsigned side = 0; side < 16; side++) {
    shapes.push_back(std::make_unique<Polygon<3>>(side + number));
    shapes.push_back(std::make_unique<Polygon<4>>(side));
  }
  std::map<std::string, unsigned> sums;
  unsigned thrown = 0;
  for (const auto &shape : shapes) {
    try {
      sums[std::to_string(shape->area() % 7)] += checked(shape->area(), 50u);
    } catch (const TooLarge &error) {
      thrown += error.value;
    }
  }
  for (const auto &[name, sum] : sums) thrown += sum * (name[0] - '0' + 1);
  return thrown;
}

}  // namespace

int main(int argc, char **) {
  if (argc > 1) return complain("no arguments, please");
  unsigned total = 0;
  for (unsigned number = 0; number < 400; number++) total += round(number % 10);
  std::printf("%u %zu %s\n", total, registry().size(), registry().front().c_str());
  return total == 1300480 && registry().size() == 2 ? 0 : complain("wrong");
}
