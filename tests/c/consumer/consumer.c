/* Compresses argv[1] to argv[2], in C. */
#include <recto.h>
#include <stdio.h>

int main(int count, char **arguments) {
    recto_client *client = NULL;
    recto_operation *operation = NULL;
    recto_error *error = NULL;
    if (count == 3 && recto_version_number() == RECTO_VERSION_NUMBER
        && recto_client_new(NULL, &client, &error) == RECTO_OK
        && recto_start_path(client, RECTO_OPTIMIZE, arguments[1], NULL, NULL, &operation, &error) == RECTO_OK
        && recto_operation_save(operation, arguments[2], NULL, NULL, &error) == RECTO_OK)
        printf("recto %s: %s\n", recto_version_string(), arguments[2]);
    else
        fprintf(stderr, "%s\n", recto_error_message(error));
    int failed = error != NULL;
    recto_error_free(error);
    recto_operation_free(operation);
    recto_client_free(client);
    return failed;
}
