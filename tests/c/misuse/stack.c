/*
 * A call on a thread with a small stack: stack BYTES URL CA-BUNDLE. The thread has guard pages, so a call that needs
 * more ends the process.
 */
#include <pthread.h>
#include <recto.h>
#include <stdio.h>
#include <stdlib.h>

static recto_client *client;

static void *call(void *unused) {
    recto_file_list *list = NULL;
    recto_error *error = NULL;
    (void)unused;
    if (recto_file_list_get(client, 0, NULL, &list, &error) != RECTO_OK) {
        fprintf(stderr, "%s\n", recto_error_message(error));
        exit(1);
    }
    recto_file_list_free(list);
    return NULL;
}

int main(int count, char **arguments) {
    recto_config *config = NULL;
    recto_error *error = NULL;
    pthread_attr_t attributes;
    pthread_t thread;
    if (count != 4 || recto_config_new(&config, &error) != RECTO_OK
        || recto_config_set(config, "base_url", arguments[2], &error) != RECTO_OK
        || recto_config_set(config, "api_key", "key", &error) != RECTO_OK
        || recto_config_set(config, "ca_bundle", arguments[3], &error) != RECTO_OK
        || recto_client_new(config, &client, &error) != RECTO_OK) {
        fprintf(stderr, "%s\n", recto_error_message(error));
        return 2;
    }
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, (size_t)atol(arguments[1])) != 0
        || pthread_create(&thread, &attributes, call, NULL) != 0)
        return 3;
    pthread_join(thread, NULL);
    recto_config_free(config);
    recto_client_free(client);
    puts("done");
    return 0;
}
