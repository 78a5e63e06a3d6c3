/*
 * The memory of a program that processes a document in its own process: memory OPERATION DOCUMENT FOLDER. Prints the
 * peak memory of the process, in MiB, and the error if there is one.
 */
#include <recto.h>
#include <stdio.h>
#include <sys/resource.h>

int main(int count, char **arguments) {
    recto_config *config = NULL;
    recto_client *client = NULL;
    recto_operation *operation = NULL;
    recto_error *error = NULL;
    struct rusage usage;
    if (count != 4 || recto_config_new(&config, &error) != RECTO_OK
        || recto_config_set(config, "isolation", "none", &error) != RECTO_OK
        || recto_client_new(config, &client, &error) != RECTO_OK
        || recto_start_path(client, arguments[1], arguments[2], NULL, NULL, &operation, &error) != RECTO_OK
        || recto_operation_save(operation, arguments[3], NULL, NULL, &error) != RECTO_OK)
        fprintf(stderr, "%s\n", recto_error_message(error));
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld\n", usage.ru_maxrss >> 10);
    recto_error_free(error);
    recto_operation_free(operation);
    recto_client_free(client);
    recto_config_free(config);
    return 0;
}
