/* Functions that each show some facts. Compiled without a C library's headers, so that any target will do. */

typedef unsigned long word;
extern void *malloc(word size);
extern void abort(void);
extern int callee(int x);
extern void sink(int *p);
volatile int global;

int direct(int x) { return callee(x) + callee(x + 1); }
int tail(int x) { return callee(x * 3); }
int indirect(int (*f)(int), int x) { return f(x) + 1; }
int indirect_tail(int (*f)(int), int x) { return f(x + 1); }
int divide(int a, int b) { return a / b; }
double divide_float(double a, double b) { return a / b; }
void *allocate(word n) { return malloc(n); }
void atomic_add(int *p) { __atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST); }
void fence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

int on_stack(int x)
{
    int local[8];
    for (int i = 0; i < 8; i++)
        local[i] = x + i;
    sink(local);
    return local[x & 7];
}

int loops(const int *a, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            sum += a[j] ^ global;
            if (sum == 17)
                break;
        }
    return sum;
}

int never(int x)
{
    if (x < 0)
        abort();
    return x * 2;
}

int choose(int x)
{
    switch (x) {
    case 0: global = 3; return callee(1);
    case 1: global = 5; return callee(x + 9) * 3;
    case 2: return callee(4) + 2;
    case 3: global++; return 77;
    case 4: return callee(x) - 4;
    case 5: global = 1; return 5;
    case 6: return callee(8) + callee(9);
    case 7: return x * global;
    default: return -1;
    }
}

void add(float *restrict a, const float *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] += b[i];
}

/* Opcode handlers that go on through one table, which holds them themselves. */
typedef int handler(const unsigned char *, int);
extern handler *const handlers[3];
int handler_add(const unsigned char *at, int sum) { return handlers[*at](at + 1, sum + 1); }
int handler_double(const unsigned char *at, int sum) { return handlers[*at](at + 1, sum * 2); }
int handler_end(const unsigned char *at, int sum) { return at ? sum : 0; }
handler *const handlers[3] = {handler_add, handler_double, handler_end};
