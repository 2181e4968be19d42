/* A program for the DSP whose first argument says what it does. */
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void begin(void)
{
    if (getenv("UNSET_VARIABLE") == NULL)
        puts("constructor");
}

__attribute__((destructor)) static void finish(void)
{
    puts("destructor");
}

static void at_exit(void)
{
    puts("atexit");
}

static void *leave(void *status)
{
    exit(*(int *)status);
}

static int copy(void)
{
    int character;

    while ((character = getchar()) != EOF)
        putchar(character);
    return 0;
}

static int copy_blocks(void)
{
    static char bytes[10000];
    size_t got;

    while ((got = fread(bytes, 1, sizeof bytes, stdin)) > 0)
        fwrite(bytes, 1, got, stdout);
    return feof(stdin) && !ferror(stdin) ? 0 : 1;
}

static int scan(void)
{
    char line[20], word[20];
    int number = 0, first = getc(stdin);

    ungetc(first, stdin);
    if (fgets(line, sizeof line, stdin) == NULL || scanf("%d %19s", &number, word) != 2)
        return 1;
    printf("%c, %s%d, %s\n", first, line, number, word);
    return 0;
}

static int show(const char *path)
{
    char line[100];
    FILE *file = fopen(path, "r");

    if (file == NULL) {
        perror(path);
        return 1;
    }
    while (fgets(line, sizeof line, file) != NULL)
        fputs(line, stdout);
    return fclose(file);
}

static int print_all(void)
{
    static char text[3000];

    memset(text, 'x', sizeof text - 1);
    printf("%s\n", text); /* longer than the buffer of printf */
    fprintf(stdout, "%.3f %lld %s %s\n", 0.125, 1LL << 40, "text", localeconv()->decimal_point);
    fputs("fputs ", stdout);
    putc('c', stdout);
    fputc('\n', stdout);
    fwrite("fwrite\n", 1, 7, stdout);
    if (write(STDOUT_FILENO, "write\n", 6) != 6 || fflush(stdout) != 0 || fileno(stdout) != 1)
        return 1;
    fprintf(stderr, "error %d\n", 1);
    return isatty(STDIN_FILENO);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int status = argc > 2 ? atoi(argv[2]) : 0;
    pthread_t thread;

    if (!strcmp(what, "arguments")) {
        for (int i = 2; i < argc; i++)
            printf("[%s]\n", argv[i]);
        printf("%s, %s\n", getenv("FIRST"), getenv("SECOND") == NULL ? "none" : getenv("SECOND"));
        setenv("FIRST", "changed", 1);
        setenv("ADDED", "new", 1);
        unsetenv("SECOND");
        printf("%s, %s\n", getenv("FIRST"), getenv("ADDED"));
        return argv[argc] != NULL;
    }
    if (!strcmp(what, "return") || !strcmp(what, "exit"))
        atexit(at_exit);
    if (!strcmp(what, "exit"))
        exit(status);
    if (!strcmp(what, "_exit"))
        _exit(status);
    if (!strcmp(what, "abort"))
        abort();
    if (!strcmp(what, "thread")) {
        pthread_create(&thread, NULL, leave, &status);
        pthread_join(thread, NULL);
        return 1;
    }
    if (!strcmp(what, "crash")) {
        fputs("before\n", stderr);
        *(volatile int *)0 = 1;
    }
    while (!strcmp(what, "hang"))
        __asm__ volatile("" ::: "memory");
    if (!strcmp(what, "stack"))
        return ((volatile char *)memset(__builtin_alloca(500000), 1, 500000))[499999] - 1;
    return !strcmp(what, "copy")     ? copy()
           : !strcmp(what, "blocks") ? copy_blocks()
           : !strcmp(what, "scan")   ? scan()
           : !strcmp(what, "show")   ? show(argv[2])
           : !strcmp(what, "print")  ? print_all()
                                     : status;
}
