/* A thread that calls a function after a delay, unless it is stopped before. */
#include "runner.h"

#include <stdlib.h>
#include <time.h>

struct timer {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stopped;
    struct timespec due;
    void (*act)(void *);
    void *target;
};

static void *run(void *of) {
    timer *timer = of;
    pthread_mutex_lock(&timer->lock);
    int waited = 0;
    while (!timer->stopped && waited == 0)
        waited = pthread_cond_timedwait(&timer->changed, &timer->lock, &timer->due);
    if (!timer->stopped)
        timer->act(timer->target);
    pthread_mutex_unlock(&timer->lock);
    return NULL;
}

timer *timer_start(int64_t milliseconds, void (*act)(void *), void *target) {
    timer *timer = or_die(calloc(1, sizeof *timer));
    pthread_mutex_init(&timer->lock, NULL);
    pthread_cond_init(&timer->changed, NULL);
    timer->act = act;
    timer->target = target;
    clock_gettime(CLOCK_REALTIME, &timer->due);
    timer->due.tv_sec += milliseconds / 1000;
    timer->due.tv_nsec += milliseconds % 1000 * 1000000;
    if (timer->due.tv_nsec >= 1000000000) {
        timer->due.tv_sec += 1;
        timer->due.tv_nsec -= 1000000000;
    }
    if (pthread_create(&timer->thread, NULL, run, timer) != 0)
        abort();
    return timer;
}

void timer_stop(timer *timer) {
    if (timer == NULL)
        return;
    pthread_mutex_lock(&timer->lock);
    timer->stopped = true;
    pthread_cond_signal(&timer->changed);
    pthread_mutex_unlock(&timer->lock);
    pthread_join(timer->thread, NULL);
    pthread_cond_destroy(&timer->changed);
    pthread_mutex_destroy(&timer->lock);
    free(timer);
}
