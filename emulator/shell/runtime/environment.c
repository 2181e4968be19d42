/* environment.c: environment variables, of which there are none at first. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include "runtime.h"

#define VARIABLES_MAX 64

static char *variables[VARIABLES_MAX + 1];
static char **variables_pointer = variables; /* environ */

static char **find_variable(const char *name, size_t length)
{
    char **at = variables_pointer;
    while (*at != NULL && (strncmp(*at, name, length) != 0 || (*at)[length] != '=')) {
        at++;
    }
    return at;
}

static char *get_variable(const char *name)
{
    size_t length = strlen(name);
    char *found = *find_variable(name, length);
    return found == NULL || length == 0 ? NULL : found + length + 1;
}

static int put_variable(char *assignment)
{
    size_t length = strcspn(assignment, "=");
    if (length == 0 || assignment[length] == '\0') {
        errno = EINVAL;
        return -1;
    }
    char **at = find_variable(assignment, length);
    if (*at == NULL && at - variables_pointer >= VARIABLES_MAX) {
        errno = ENOMEM;
        return -1;
    }
    *at = assignment;
    return 0;
}

const struct shell_symbol environment_symbols[] = {
    EXPORT_AS("getenv", get_variable),
    EXPORT_AS("putenv", put_variable),
    {"environ", (void *)&variables_pointer},
    EXPORT_END,
};
