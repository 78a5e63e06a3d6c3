/*
 * The threads on which blocking functions of the library run: started when they are needed, at most 64 for the process,
 * and ended when they have had nothing to do for a while. The threads of libuv are not used: there are four of them, and a
 * call that waits for an operation would keep files and names of the program waiting.
 */
#include "addon.h"
#include <errno.h>
#include <time.h>

enum { MAX_THREADS = 64, IDLE_SECONDS = 5, STACK_SIZE = 512 * 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_job = PTHREAD_COND_INITIALIZER;
static job *first, **last = &first;
static size_t waiting, threads, idle;

/* Takes the next job. Waits for one, but not for ever: returns NULL if there was none for a while. */
static job *take(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += IDLE_SECONDS;
    pthread_mutex_lock(&lock);
    idle++;
    int outcome = 0;
    while (first == NULL && outcome != ETIMEDOUT)
        outcome = pthread_cond_timedwait(&has_job, &lock, &until);
    idle--;
    job *taken = first;
    if (taken != NULL) {
        first = taken->next;
        if (first == NULL)
            last = &first;
        waiting--;
    } else {
        threads--;
    }
    pthread_mutex_unlock(&lock);
    return taken;
}

static void *work(void *unused) {
    (void)unused;
    for (job *job = take(); job != NULL; job = take()) {
        job_run(job);
        job_has_run(job);
    }
    return NULL;
}

static bool start_thread(void) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_t thread;
    bool is_started = pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0
                      && pthread_attr_setstacksize(&attributes, STACK_SIZE) == 0
                      && pthread_create(&thread, &attributes, work, NULL) == 0;
    pthread_attr_destroy(&attributes);
    return is_started;
}

bool pool_run(job *job) {
    pthread_mutex_lock(&lock);
    if (waiting >= idle && threads < MAX_THREADS && start_thread())
        threads++;
    bool can_run = threads > 0;
    if (can_run) {
        job->next = NULL;
        *last = job;
        last = &job->next;
        waiting++;
        pthread_cond_signal(&has_job);
    }
    pthread_mutex_unlock(&lock);
    return can_run;
}

job *pool_take_waiting(const instance *of) {
    job *taken = NULL;
    pthread_mutex_lock(&lock);
    last = &first;
    while (*last != NULL) {
        job *at = *last;
        if (at->instance == of) {
            *last = at->next;
            at->next = taken;
            taken = at;
            waiting--;
        } else {
            last = &at->next;
        }
    }
    pthread_mutex_unlock(&lock);
    return taken;
}
