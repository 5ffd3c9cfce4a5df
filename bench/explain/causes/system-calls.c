/* The process asks who its parent is, in each round or in every tenth. */
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
    unsigned long n = 1;
    for (int i = 0; i < 200000; i++) {
        for (int k = 0; k < 100; k++)
            n = n * 6364136223846793005ul + 1;
        if (PLANTED || i % 10 == 0)
            n += syscall(SYS_getppid);
    }
    return n == 0;
}
