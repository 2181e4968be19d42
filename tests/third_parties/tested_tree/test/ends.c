// ends HOW: ends in one of several ways.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *label(void);

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    printf("%s %s\n", label(), how);
    fflush(stdout);
    if (!strcmp(how, "fail"))
        return 3;
    if (!strcmp(how, "skip"))
        return 77;
    if (!strcmp(how, "crash"))
        *(volatile int *) 0 = 1;
    if (!strcmp(how, "abort"))
        abort();
    while (!strcmp(how, "hang"))
        sleep(1);
    if (strcmp(how, "environment"))
        return 0;
    const char *data = getenv("METER_DATA"), *name = getenv("METER_NAME");
    FILE *in = data ? fopen(data, "r") : NULL;
    printf("%s, %s, %d arguments: <%s> <%s>\n", in ? "readable" : "missing", name ? name : "unset",
           argc - 1, argc > 2 ? argv[2] : "", argc > 3 ? argv[3] : "");
    return !(in && name && !strcmp(name, "a b") && argc == 4 && !strcmp(argv[2], "words with  spaces; and 'quotes'"));
}
