"""The expected output of arithmetic.sprig, by Python's numbers."""
import math

a, b, f, big = 7, -3, 2.5, 2147483647


def i32(x):
    return (int(x) + 2**31) % 2**32 - 2**31


def show(*values):
    def one(v):
        if isinstance(v, bool):
            return "true" if v else "false"
        if isinstance(v, str):
            return v
        if math.isinf(v):
            return "inf" if v > 0 else "-inf"
        if v == int(v) and abs(v) < 1e15:
            return str(int(v))
        text = "%.15g" % v
        return text if float(text) == v else repr(v)

    print(*map(one, values))


show(a + b, a - b, a * b, a / b, a // b, a % b)
show(a + 1, a - 1, a * 2, a / 2, a // 2, a % 2, a // -2, a % -2, b // 2, b % 2)
show(f + 1, f - 1, f * 2, f / 2, f // 1, f % 1, f + f, f - f, f * f, f / f, 8 / 2)
show(f + 0.25, f - 0.25, f * 0.25, f / 0.25, a + 0.5, a - 0.5, a * 0.5, a / 0.5)
B = float(big)
show(B + 1, B + B, B * B, -B - 2, B - b, b - B, B * 100, B + 100, -(B + 1) - 1)
show(-a, -f, 2147483648, True, f // b, f % b, -f % 2, f // -1)
show(2, 0.25, 1000, 16, 0.015, 2147483648, 123456789012, 0.1, math.inf, 0, 0)
show(a & 3, a | 8, a ^ 1, ~a, a << 4, b >> 1, a & b, a | b, a ^ b, a << 2, i32(1 << 31), -1)
show((big + 1) & 255, i32(big + 2), 300 & 255, i32(6 << (200 & 31)), 6 & 3, i32(~(big + 1)))
show(4, 2.5, 2, -3, 7, 3, 2.5, 7, 2147483648)
show(1 + 2 * 3 - 4 / 2, 9, -5, 7, "5x", 1 | 2 ^ 3 & 4)
