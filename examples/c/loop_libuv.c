/*
 * Compresses PDFs in a program with libuv's loop: loop_libuv OUT-FOLDER IN.pdf...
 *
 *     cc loop_libuv.c $(pkg-config --cflags --libs recto libuv) -o loop_libuv
 */
#include <recto.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

typedef struct {
    uv_poll_t poll;
    recto_task *task;
    const char *source;
} job;

static int failed;

static void report(const char *source, recto_error *error) {
    fprintf(stderr, "%s: %s\n", source, recto_error_message(error));
    recto_error_free(error);
    failed = 1;
}

static void closed(uv_handle_t *handle) {
    job *done = handle->data;
    recto_task_free(done->task); /* Only now: libuv no longer uses the descriptor. */
    free(done);
}

static void ended(uv_poll_t *poll, int status, int events) {
    job *done = poll->data;
    char *saved = NULL;
    recto_error *error = NULL;
    (void)status, (void)events;
    if (recto_task_take_path(done->task, &saved, &error) == RECTO_OK)
        printf("%s\n", saved);
    else
        report(done->source, error);
    recto_free(saved);
    uv_poll_stop(poll);
    uv_close((uv_handle_t *)poll, closed);
}

static void tick(uv_timer_t *timer) {
    ++*(int *)timer->data; /* The loop continues while the documents are processed. */
}

int main(int count, char **arguments) {
    uv_loop_t *loop = uv_default_loop();
    uv_timer_t timer;
    recto_client *client = NULL;
    recto_error *error = NULL;
    int ticks = 0;
    if (count < 3 || recto_client_new(NULL, &client, &error) != RECTO_OK)
        return 2;
    for (int at = 2; at < count; at++) {
        job *started = calloc(1, sizeof *started);
        started->source = arguments[at];
        if (recto_background_run(client, RECTO_OPTIMIZE, arguments[at], NULL, arguments[1], NULL, &started->task, &error)
            != RECTO_OK) {
            report(arguments[at], error);
            free(started);
            continue;
        }
        started->poll.data = started;
        uv_poll_init(loop, &started->poll, (int)recto_task_descriptor(started->task));
        uv_poll_start(&started->poll, UV_READABLE, ended);
    }
    uv_timer_init(loop, &timer);
    timer.data = &ticks;
    uv_timer_start(&timer, tick, 0, 10);
    uv_unref((uv_handle_t *)&timer);
    uv_run(loop, UV_RUN_DEFAULT);
    recto_client_free(client);
    return failed || ticks == 0;
}
