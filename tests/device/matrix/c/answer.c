#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    char *text = malloc(16);
    if (!text)
        return 1;
    snprintf(text, 16, "%d", argc > 1 ? atoi(argv[1]) : 42);
    puts(text);
    int length = (int)strlen(text);
    free(text);
    return length == 2 ? 0 : 1;
}
