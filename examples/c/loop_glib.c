/*
 * Compresses PDFs in a program with GLib's main loop: loop_glib OUT-FOLDER IN.pdf...
 *
 *     cc loop_glib.c $(pkg-config --cflags --libs recto glib-2.0) -o loop_glib
 */
#include <glib-unix.h>
#include <recto.h>
#include <stdio.h>

typedef struct {
    recto_task *task;
    const char *source;
} job;

static GMainLoop *loop;
static int running, failed, ticks;

static void report(const char *source, recto_error *error) {
    fprintf(stderr, "%s: %s\n", source, recto_error_message(error));
    recto_error_free(error);
    failed = 1;
}

static gboolean ended(gint descriptor, GIOCondition condition, gpointer data) {
    job *done = data;
    char *saved = NULL;
    recto_error *error = NULL;
    (void)descriptor, (void)condition;
    if (recto_task_take_path(done->task, &saved, &error) == RECTO_OK)
        printf("%s\n", saved);
    else
        report(done->source, error);
    recto_free(saved);
    recto_task_free(done->task);
    g_free(done);
    if (--running == 0)
        g_main_loop_quit(loop);
    return G_SOURCE_REMOVE;
}

static gboolean tick(gpointer unused) {
    (void)unused;
    ticks++; /* The loop continues while the documents are processed. */
    return G_SOURCE_CONTINUE;
}

int main(int count, char **arguments) {
    recto_client *client = NULL;
    recto_error *error = NULL;
    if (count < 3 || recto_client_new(NULL, &client, &error) != RECTO_OK)
        return 2;
    loop = g_main_loop_new(NULL, FALSE);
    for (int at = 2; at < count; at++) {
        job *started = g_new0(job, 1);
        started->source = arguments[at];
        if (recto_background_run(client, RECTO_OPTIMIZE, arguments[at], NULL, arguments[1], NULL, &started->task, &error)
            != RECTO_OK) {
            report(arguments[at], error);
            g_free(started);
            continue;
        }
        g_unix_fd_add((gint)recto_task_descriptor(started->task), G_IO_IN, ended, started);
        running++;
    }
    g_timeout_add(10, tick, NULL);
    if (running > 0)
        g_main_loop_run(loop);
    g_main_loop_unref(loop);
    recto_client_free(client);
    return failed || ticks == 0;
}
