/*
 * Compresses many PDFs into a folder, with progress and cancellation by Ctrl-C: batch FOLDER IN.pdf...
 *
 * Run it again to resume: the journal in the folder records which documents are done.
 *
 *     cc batch.c $(pkg-config --cflags --libs recto) -o batch
 */
#include <recto.h>
#include <signal.h>
#include <stdio.h>

static recto_cancel *interrupted;

static void on_interrupt(int signal) {
    (void)signal;
    recto_cancel_trigger(interrupted);
}

/* Sets up the batch. If that fails, `error` is set. */
static recto_status prepare(recto_batch *batch, const char *folder, char **documents, recto_error **error) {
    char journal[4096];
    snprintf(journal, sizeof journal, "%s/journal.jsonl", folder);
    recto_status status = recto_batch_set(batch, "to", folder, error);
    if (status == RECTO_OK)
        status = recto_batch_set(batch, "journal", journal, error);
    for (; status == RECTO_OK && *documents != NULL; documents++)
        status = recto_batch_add(batch, *documents, error);
    return status;
}

int main(int count, char **arguments) {
    if (count < 3) {
        fprintf(stderr, "usage: %s FOLDER IN.pdf...\n", arguments[0]);
        return 2;
    }
    recto_client *client = NULL;
    recto_batch *batch = NULL;
    recto_batch_item *item = NULL;
    recto_call *call = NULL;
    recto_error *error = NULL;
    int done = 0, failed = 0;
    if (recto_cancel_new(&interrupted, &error) == RECTO_OK && recto_call_new(&call, &error) == RECTO_OK
        && recto_call_set_cancel(call, interrupted, &error) == RECTO_OK
        && recto_client_new(NULL, &client, &error) == RECTO_OK
        && recto_batch_new(client, RECTO_OPTIMIZE, NULL, &batch, &error) == RECTO_OK
        && prepare(batch, arguments[1], arguments + 2, &error) == RECTO_OK) {
        signal(SIGINT, on_interrupt);
        while (recto_batch_next(batch, call, &item, &error) == RECTO_OK) {
            const recto_error *why = recto_batch_item_error(item);
            printf("%d of %d: %s\n", ++done, count - 2,
                   why != NULL ? recto_error_message(why) : recto_batch_item_path(item));
            failed += why != NULL;
            recto_batch_item_free(item);
        }
        signal(SIGINT, SIG_DFL);
    }
    if (error != NULL)
        fprintf(stderr, "%s\n", recto_error_message(error));
    int ended_early = error != NULL;
    recto_error_free(error);
    recto_batch_free(batch);
    recto_call_free(call);
    recto_cancel_free(interrupted);
    recto_client_free(client);
    return ended_early || failed > 0;
}
