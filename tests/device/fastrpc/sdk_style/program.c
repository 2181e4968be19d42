/* program.c: loads the library and unloads it, as FastRPC's test programs do.
 *
 * Its argument is one of:
 *   once LAST      Calls methods 2 to LAST of the skel, or only LAST if it is above 6.
 *   cycles N [-]   Loads and unloads the library N times, and counts what the process has. With -,
 *                  the program keeps libcdsprpc.so.1 loaded.
 *   left N [-]     The same, and leaves the session open.
 *   closed N [-]   The same, and a static object of the library's closes the session.
 *   threads N      Does N cycles in each of N threads.
 *   stale          Opens a session after a library with a notifier was unloaded.
 *   names          Opens libcdsprpc by both of its names. */
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int entries(const char *directory)
{
    int count = 0;
    DIR *open = opendir(directory);
    while (open != NULL && readdir(open) != NULL) {
        count++;
    }
    closedir(open);
    return count;
}

/* Unloads one of two libraries with notifiers, and opens a session with the other. */
static void leave_a_notifier(void)
{
    void *other = dlopen("libsdkother.so", RTLD_NOW);
    dlclose(dlopen("libsdkstyle.so", RTLD_NOW));
    int (*use)(int) = (int (*)(int))dlsym(other, "use");
    printf("code = %x\n", (unsigned)use(2));
}

/* Prints the number of open files, of threads, and of mappings. */
static void count(const char *when)
{
    char line[1000];
    int mappings = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps) != NULL) {
        mappings += strchr(line, '\n') != NULL;
    }
    fclose(maps);
    printf("%s: %d files, %d threads, %d mappings\n", when, entries("/proc/self/fd"),
           entries("/proc/self/task"), mappings);
    fflush(stdout);
}

/* Calls a function of the library between dlopen and dlclose. */
static int cycle(const char *function, int argument)
{
    void *library = dlopen("libsdkstyle.so", RTLD_NOW);
    int (*use)(int) = library == NULL ? NULL : (int (*)(int))dlsym(library, function);
    if (use == NULL) {
        printf("%s\n", dlerror());
        exit(1);
    }
    int code = use(argument);
    dlclose(library);
    return code;
}

static int loaded(void)
{
    void *library = dlopen("libcdsprpc.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (library != NULL) {
        dlclose(library);
    }
    return library != NULL;
}

/* Waits for the thread of libcdsprpc that frees the last session. */
static void wait_for_files(int number)
{
    for (int i = 0; i < 50 && entries("/proc/self/fd") > number; i++) {
        usleep(100000);
    }
    usleep(100000); /* the thread ends */
}

static void *cycles_of_thread(void *number)
{
    long wrong = 0;
    for (int i = 0; i < *(int *)number; i++) {
        wrong += cycle("use", 2) != 0;
    }
    return (void *)wrong;
}

static void threads(int number)
{
    pthread_t ids[16];
    for (int i = 0; i < number && i < 16; i++) {
        pthread_create(&ids[i], NULL, cycles_of_thread, &number);
    }
    for (int i = 0; i < number && i < 16; i++) {
        void *wrong = NULL;
        pthread_join(ids[i], &wrong);
        printf("wrong = %ld\n", (long)wrong);
    }
}

static void cycles(const char *function, int argument, int number)
{
    int status = -1;
    const int files = entries("/proc/self/fd");
    for (int i = 0; i < number; i++) {
        int code = cycle(function, argument);
        if (code != 0) {
            printf("cycle %d = %x\n", i, (unsigned)code);
        }
        if (i == 1) {
            wait_for_files(files);
            count("early");
        }
    }
    wait_for_files(files);
    count("late");
    if (fork() == 0) {
        _exit(7);
    }
    wait(&status);
    printf("loaded = %d, forked = %d\n", loaded(), WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
    char word[16] = "", kept[2] = "";
    int number = 0;
    if (argc != 2 || sscanf(argv[1], "%15s %d %1s", word, &number, kept) < 1) {
        return 2;
    }
    if (strcmp(word, "names") == 0) {
        void *one = dlopen("libcdsprpc.so", RTLD_NOW);
        void *two = dlopen("libcdsprpc.so.1", RTLD_NOW);
        printf("%s\n", one != NULL && one == two ? "one library" : "two");
    } else if (strcmp(word, "stale") == 0) {
        leave_a_notifier();
    } else if (strcmp(word, "once") == 0) {
        printf("code = %x\n", (unsigned)cycle("use", number));
    } else if (strcmp(word, "threads") == 0) {
        threads(number);
    } else {
        if (kept[0] != 0) {
            dlopen("libcdsprpc.so.1", RTLD_NOW);
        }
        const int left = strcmp(word, "cycles") != 0;
        cycles(left ? "leave_open" : "use", left ? strcmp(word, "closed") == 0 : 2, number);
    }
    return 0;
}
