/* client.c: runs a script of FastRPC calls and prints what each returns.
 *
 *   client 'unsigned 3 1; open h probe; double h 64 heap; close h'
 *
 * Each command prints one line: itself, " = ", the code in hex, and any further results. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

static struct entry {
    char name[32];
    void *value;
} entries[64];

void remember(const char *name, void *value)
{
    for (int i = 0; i < 64; i++) {
        if (entries[i].name[0] == 0 || strcmp(entries[i].name, name) == 0) {
            snprintf(entries[i].name, sizeof entries[i].name, "%s", name);
            entries[i].value = value;
            return;
        }
    }
}

void *recall(const char *name)
{
    for (int i = 0; i < 64; i++) {
        if (strcmp(entries[i].name, name) == 0) {
            return entries[i].value;
        }
    }
    fprintf(stderr, "client: no %s\n", name);
    exit(99);
}

static const struct command commands[] = {COMMANDS{NULL, NULL}};

static void run(char *line)
{
    char *words[8] = {0};
    char copy[512];
    int count = 0;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(line, " \n"); word != NULL && count < 8; word = strtok(NULL, " \n")) {
        words[count++] = word;
    }
    if (count == 0) {
        return;
    }
    for (const struct command *command = commands; command->name != NULL; command++) {
        if (strcmp(command->name, words[0]) == 0) {
            char more[256] = "";
            int code = command->act(words, more);
            printf("%s = %x%s%s\n", copy + strspn(copy, " \n"), (unsigned)code,
                   more[0] == 0 ? "" : " ", more);
            return;
        }
    }
    fprintf(stderr, "client: what is %s?\n", words[0]);
    exit(99);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc != 2) {
        return 99;
    }
    char *rest = argv[1];
    while (rest != NULL) {
        char *line = rest;
        rest = strchr(rest, ';');
        if (rest != NULL) {
            *rest++ = 0;
        }
        run(line);
    }
    return 0;
}
