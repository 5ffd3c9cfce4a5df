/* Two threads work at once; where it is planted, one lock lets in one of them at a time. */
#include <pthread.h>
static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void *work(void *which) {
    pthread_mutex_t *lock = &locks[PLANTED ? 0 : (long)which];
    unsigned long n = 1;
    for (int i = 0; i < 60; i++) {
        pthread_mutex_lock(lock);
        for (int k = 0; k < 600000; k++)
            n = n * 6364136223846793005ul + 1;
        pthread_mutex_unlock(lock);
    }
    return (void *)(long)(n == 0);
}
int main(void) {
    pthread_t other;
    void *ended;
    pthread_create(&other, 0, work, (void *)1);
    ended = work(0);
    pthread_join(other, &ended);
    return ended != 0;
}
