/* A bytecode interpreter of 41 opcodes, dispatched by computed goto, or by a switch with -DSWITCH. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct instruction {
    unsigned char op;
    unsigned char arg;
};

#define WORK(n) acc = acc * (2 * n + 3) + (acc >> (n % 7 + 1)) + n; acc ^= pc->arg;

#ifdef SWITCH

__attribute__((noinline)) uint64_t run(const struct instruction *pc, uint64_t acc, long budget)
{
    for (;;) {
        switch (pc->op) {
        case 0: WORK(0) pc++; break;
        case 1: WORK(1) pc++; break;
        case 2: WORK(2) pc++; break;
        case 3: WORK(3) pc++; break;
        case 4: WORK(4) pc++; break;
        case 5: WORK(5) pc++; break;
        case 6: WORK(6) pc++; break;
        case 7: WORK(7) pc++; break;
        case 8: WORK(8) pc++; break;
        case 9: WORK(9) pc++; break;
        case 10: WORK(10) pc++; break;
        case 11: WORK(11) pc++; break;
        case 12: WORK(12) pc++; break;
        case 13: WORK(13) pc++; break;
        case 14: WORK(14) pc++; break;
        case 15: WORK(15) pc++; break;
        case 16: WORK(16) pc++; break;
        case 17: WORK(17) pc++; break;
        case 18: WORK(18) pc++; break;
        case 19: WORK(19) pc++; break;
        case 20: WORK(20) pc++; break;
        case 21: WORK(21) pc++; break;
        case 22: WORK(22) pc++; break;
        case 23: WORK(23) pc++; break;
        case 24: WORK(24) pc++; break;
        case 25: WORK(25) pc++; break;
        case 26: WORK(26) pc++; break;
        case 27: WORK(27) pc++; break;
        case 28: WORK(28) pc++; break;
        case 29: WORK(29) pc++; break;
        case 30: WORK(30) pc++; break;
        case 31: WORK(31) pc++; break;
        case 32: WORK(32) pc++; break;
        case 33: WORK(33) pc++; break;
        case 34: WORK(34) pc++; break;
        case 35: WORK(35) pc++; break;
        case 36: WORK(36) pc++; break;
        case 37: WORK(37) pc++; break;
        case 38: WORK(38) pc++; break;
        case 39: WORK(39) pc++; break;
        case 40:
            if (--budget <= 0)
                return acc;
            pc -= pc->arg;
            break;
        default: __builtin_unreachable();
        }
    }
}

#else

#define NEXT pc++; goto *labels[pc->op];

__attribute__((noinline)) uint64_t run(const struct instruction *pc, uint64_t acc, long budget)
{
    static const void *const labels[] = {
        &&op0, &&op1, &&op2, &&op3, &&op4, &&op5, &&op6, &&op7,
        &&op8, &&op9, &&op10, &&op11, &&op12, &&op13, &&op14, &&op15,
        &&op16, &&op17, &&op18, &&op19, &&op20, &&op21, &&op22, &&op23,
        &&op24, &&op25, &&op26, &&op27, &&op28, &&op29, &&op30, &&op31,
        &&op32, &&op33, &&op34, &&op35, &&op36, &&op37, &&op38, &&op39,
        &&op40,
    };
    goto *labels[pc->op];
op0: WORK(0) NEXT
op1: WORK(1) NEXT
op2: WORK(2) NEXT
op3: WORK(3) NEXT
op4: WORK(4) NEXT
op5: WORK(5) NEXT
op6: WORK(6) NEXT
op7: WORK(7) NEXT
op8: WORK(8) NEXT
op9: WORK(9) NEXT
op10: WORK(10) NEXT
op11: WORK(11) NEXT
op12: WORK(12) NEXT
op13: WORK(13) NEXT
op14: WORK(14) NEXT
op15: WORK(15) NEXT
op16: WORK(16) NEXT
op17: WORK(17) NEXT
op18: WORK(18) NEXT
op19: WORK(19) NEXT
op20: WORK(20) NEXT
op21: WORK(21) NEXT
op22: WORK(22) NEXT
op23: WORK(23) NEXT
op24: WORK(24) NEXT
op25: WORK(25) NEXT
op26: WORK(26) NEXT
op27: WORK(27) NEXT
op28: WORK(28) NEXT
op29: WORK(29) NEXT
op30: WORK(30) NEXT
op31: WORK(31) NEXT
op32: WORK(32) NEXT
op33: WORK(33) NEXT
op34: WORK(34) NEXT
op35: WORK(35) NEXT
op36: WORK(36) NEXT
op37: WORK(37) NEXT
op38: WORK(38) NEXT
op39: WORK(39) NEXT
op40:
    if (--budget <= 0)
        return acc;
    pc -= pc->arg;
    NEXT
}

#endif

int main(int argc, char **argv)
{
    static struct instruction code[101];
    for (int i = 0; i < 100; i++) {
        code[i].op = (unsigned char)(i * 7 % 40);
        code[i].arg = (unsigned char)i;
    }
    code[100].op = 40;
    code[100].arg = 100;
    printf("%lu\n", (unsigned long)run(code, (uint64_t)argc, argc > 1 ? atol(argv[1]) : 1000));
    return 0;
}
