//! Programs in two states, OLD and NEW, which between them have what makes links hard: exceptions,
//! templates, thread-local data, constructors with priorities, IFUNC, a linker set, static
//! functions of one name, hand-written assembly, and in NEW a changed function, an added one, more
//! data and more of the library.

pub(crate) const MAIN_OLD: &str = r#"
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>
extern "C" int from_c(int); extern "C" int from_asm(int); extern "C" int picked(int); extern "C" int sum_set(void);
template <class T> T largest(const std::vector<T> &values) { T best = values.at(0); for (auto v : values) if (best < v) best = v; return best; }
struct Order { Order(const char *name) { std::printf("%s ", name); } ~Order() { std::printf("~"); } };
static Order plain("plain"); static Order early __attribute__((init_priority(101))) ("early"); static Order later __attribute__((init_priority(202))) ("later");
static thread_local int depth = 3; thread_local long zeroed[4]; thread_local std::string text = "tls";
static int helper(int a) { return a + 1; }
extern const double constants[5] = {1.5, 2.5, 3.5, 4.5, 5.5}; int numbers[16] = {5, 4, 3}; char room[333];
struct Shape { virtual ~Shape() {} virtual int area() const { return 1; } }; struct Square : Shape { int side; Square(int s) : side(s) {} int area() const override { return side * side; } };
int work(int a) { return helper(a) * 3; }
int thrower(int a) { if (a > 2) throw std::runtime_error("thrown " + std::to_string(a)); return a; }
int main() {
    std::vector<int> ints{3, 9, 2}; std::vector<std::string> words{"b", "z", "a"};
    try { thrower(7); } catch (const std::exception &e) { std::printf("[%s] ", e.what()); }
    depth += work(2); zeroed[1] = depth; room[5] = 'r'; Shape *shape = new Square(numbers[1]);
    std::printf("%d %s %d %ld %s %d %d %d %d %c %.1f %d\n", largest(ints), largest(words).c_str(), depth, zeroed[1], text.c_str(), from_c(4), from_asm(5), picked(6), sum_set(), room[5], constants[2], shape->area());
    delete shape; return 0;
}
"#;

pub(crate) const C_SIDE: &str = r#"
static int helper(int a) { return a * 2; }
static int slow(int a) { return a + 100; }
static int fast(int a) { return a + 200; }
static int (*pick(void))(int) { return helper(1) == 2 ? fast : slow; }
int picked(int) __attribute__((ifunc("pick")));
static const int *const first __attribute__((section("myset"), used, retain)) = &(const int){10};
static const int *const second __attribute__((section("myset"), used, retain)) = &(const int){32};
extern const int *const __start_myset[], *const __stop_myset[];
int sum_set(void) { int sum = 0; for (const int *const *at = __start_myset; at != __stop_myset; at++) sum = sum * 100 + **at; return sum; }
int from_c(int a) { return helper(a) + 7; }
"#;

pub(crate) const ASM: &str = r#"
    .text
    .globl from_asm
    .type from_asm, @function
from_asm:
    leal 40(%rdi), %eax
    ret
    .size from_asm, . - from_asm
    .type helper, @function
helper:
    xorl %eax, %eax
    ret
    .size helper, . - helper
    .section .note.GNU-stack,"",@progbits
"#;

/// NEW: `work` is longer, `added` and a map are new, and so are data of every kind in the middle of
/// what was there.
pub(crate) fn main_new() -> String {
    MAIN_OLD
        .replace("#include <vector>", "#include <vector>\n#include <map>\n#include <cmath>")
        .replace("extern const double constants", "extern const char inserted[70] = \"inserted\"; int filled[9] = {7}; static char scratch[1000]; thread_local int more_tls = 4;\nextern const double constants")
        .replace("int work(int a) { return helper(a) * 3; }", "int added(int a) { std::map<int, int> m; for (int i = 0; i < a; i++) m[i * 7 % 5] += i; scratch[a] = 1; return (int)m.size() + filled[0] + inserted[0] + more_tls + (int)std::lround(std::cbrt(a)); }\nint work(int a) { int r = helper(a) * 3; if (a > 100) for (int i = 0; i < a; i++) r += added(i) * scratch[i]; return r; }")
}
