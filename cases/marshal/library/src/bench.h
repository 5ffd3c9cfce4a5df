/* The benchmarks. */
#ifndef BENCH_H
#define BENCH_H

/* 0 where there is no such benchmark. */
int bench(const char *name, unsigned times);

#endif
