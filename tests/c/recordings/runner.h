/* Declarations that the files of the C runner of the recordings share. */
#ifndef RUNNER_H
#define RUNNER_H

/* The runner reports the error objects of calls, and ignores their statuses. */
#define RECTO_NO_ATTRIBUTES

#include <jansson.h>
#include <pthread.h>
#include <recto.h>
#include <stdbool.h>
#include <stdint.h>

/* play.c: plays one scenario. */

/* Makes the calls of a scenario. `prepared` is the response of the replay server to `start`. Returns the outcome. */
json_t *play(json_t *prepared);

/* timer.c: calls a function on another thread after a delay. */

typedef struct timer timer;

/* Calls `act(target)` after `milliseconds`, on its own thread, unless timer_stop() is called before. */
timer *timer_start(int64_t milliseconds, void (*act)(void *target), void *target);

/* Stops the timer: `act` has returned or will not be called. NULL is allowed and does nothing. */
void timer_stop(timer *timer);

/* text.c: strings that grow. Without memory, these functions end the process. */

typedef struct text {
    char *bytes;
    size_t length;
} text;

void text_add(text *text, const char *more);
void text_add_bytes(text *text, const void *more, size_t length);
void *or_die(void *memory);

#endif
