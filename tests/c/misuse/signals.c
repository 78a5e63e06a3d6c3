/*
 * A host that reads its signals from a signalfd: signals DOCUMENT FOLDER. It blocks the signals only after the library
 * has started its threads, so a thread of the library that does not block them would take the signal, and end the
 * process.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <recto.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static const int SIGNALS[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD, SIGALRM, SIGPIPE, SIGPROF};
enum { COUNT = sizeof SIGNALS / sizeof *SIGNALS };

/* Checks the signal mask of every thread but the first. Returns the number of these threads. */
static int check_threads(void) {
    int threads = 0;
    DIR *tasks = opendir("/proc/self/task");
    CHECK(tasks != NULL);
    for (struct dirent *task; (task = readdir(tasks)) != NULL;) {
        char path[300], line[300], name[64] = "";
        if (*task->d_name == '.' || atoi(task->d_name) == getpid())
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", task->d_name);
        FILE *status = fopen(path, "r");
        if (status == NULL)
            continue; /* The thread has ended. */
        while (fgets(line, sizeof line, status) != NULL) {
            unsigned long long mask;
            sscanf(line, "Name: %63s", name);
            if (sscanf(line, "SigBlk: %llx", &mask) != 1)
                continue;
            threads++;
            for (int at = 0; at < COUNT; at++)
                if ((mask >> (SIGNALS[at] - 1) & 1) == 0) {
                    fprintf(stderr, "the thread %s does not block signal %d\n", name, SIGNALS[at]);
                    exit(1);
                }
        }
        fclose(status);
    }
    closedir(tasks);
    return threads;
}

int main(int count, char **arguments) {
    CHECK(count == 3);
    recto_client *client = NULL;
    recto_operation *operation = NULL;
    recto_batch *batch = NULL;
    recto_batch_item *item = NULL;
    char journal[4096];
    snprintf(journal, sizeof journal, "%s/journal", arguments[2]);
    CHECK(recto_client_new(NULL, &client, NULL) == RECTO_OK);
    CHECK(recto_start_path(client, RECTO_OPTIMIZE, arguments[1], NULL, NULL, &operation, NULL) == RECTO_OK);
    CHECK(recto_operation_save(operation, arguments[2], NULL, NULL, NULL) == RECTO_OK);
    CHECK(recto_batch_new(client, RECTO_OPTIMIZE, NULL, &batch, NULL) == RECTO_OK);
    CHECK(recto_batch_set(batch, "journal", journal, NULL) == RECTO_OK);
    CHECK(recto_batch_add(batch, arguments[1], NULL) == RECTO_OK);
    CHECK(recto_batch_next(batch, NULL, &item, NULL) == RECTO_OK);
    CHECK(recto_batch_item_error(item) == NULL);
    /* The service, the client and the batch have threads now; some of them wait for work. */
    CHECK(check_threads() >= 4);

    sigset_t set, before;
    sigemptyset(&set);
    for (int at = 0; at < COUNT; at++)
        sigaddset(&set, SIGNALS[at]);
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    CHECK(!sigismember(&before, SIGTERM) && !sigismember(&before, SIGPIPE));
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    int signals = signalfd(-1, &set, SFD_CLOEXEC);
    CHECK(signals >= 0);
    const int SENT[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};
    for (int at = 0; at < 4; at++) {
        struct signalfd_siginfo received;
        CHECK(kill(getpid(), SENT[at]) == 0);
        CHECK(read(signals, &received, sizeof received) == sizeof received);
        CHECK(received.ssi_signo == (unsigned)SENT[at]);
    }
    close(signals);
    recto_batch_item_free(item);
    recto_batch_free(batch);
    recto_operation_free(operation);
    recto_client_free(client);
    puts("done");
    return 0;
}
