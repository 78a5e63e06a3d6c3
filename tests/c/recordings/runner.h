/* What the files of the C runner of the recorded exchanges share. */
#ifndef RUNNER_H
#define RUNNER_H

#include <jansson.h>
#include <pthread.h>
#include <recto.h>
#include <stdbool.h>
#include <stdint.h>

/* play.c: one scenario. */

/* Makes a scenario's calls; `prepared` is what the replay server answered to `start`. Returns the outcome to report. */
json_t *play(json_t *prepared);

/* timer.c: doing something from another thread after a while. */

typedef struct timer timer;

/* Does `act(target)` after `milliseconds`, on a thread of its own, unless timer_stop() comes before. */
timer *timer_start(int64_t milliseconds, void (*act)(void *target), void *target);

/* Waits until it was done, or will never be done. NULL is a no-op. */
void timer_stop(timer *timer);

/* text.c: memory for a test, which ends the process when there is none. */

typedef struct text {
    char *bytes;
    size_t length;
} text;

void text_add(text *text, const char *more);
void text_add_bytes(text *text, const void *more, size_t length);
void *or_die(void *memory);

#endif
