/* sessions.c: what stays behind when handles are opened and closed. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checks.h"

enum { FIRST = 100, ALL = 1000 };

struct usage {
    int64_t files, kib, heap; /* heap: bytes on the DSP */
};

static int measure(remote_handle64 handle, struct usage *usage)
{
    uint64_t heap = 0;
    char text[128] = "";
    const char *resident = NULL; /* the second number */
    DIR *folder = opendir("/proc/self/fd");
    FILE *statm = fopen("/proc/self/statm", "r");

    usage->files = 0;
    while (folder != NULL && readdir(folder) != NULL)
        usage->files++;
    if (folder != NULL)
        closedir(folder);
    if (statm != NULL && fgets(text, sizeof text, statm) != NULL)
        resident = strchr(text, ' ');
    if (statm != NULL)
        fclose(statm);
    usage->kib = resident != NULL ? strtol(resident, NULL, 10) * sysconf(_SC_PAGESIZE) / 1024 : 0;
    begin_step("HAP_mem_get_stats");
    const int code = device_probe_heap(handle, &heap);
    usage->heap = (int64_t)heap;
    return code;
}

int check_sessions(remote_handle64 handle)
{
    struct usage before = {0, 0, 0}, after = {0, 0, 0};
    int code = 0;

    for (int i = 1; i <= ALL && code == 0; i++) {
        remote_handle64 another = 0;

        begin_step("remote_handle64_open");
        code = device_probe_open(device_probe_URI CDSP_DOMAIN, &another);
        if (code != 0)
            return code;
        begin_step("remote_handle64_close");
        code = device_probe_close(another);
        if (code == 0 && i == FIRST)
            code = measure(handle, &before);
    }
    if (code == 0)
        code = measure(handle, &after);
    if (code == 0)
        printf("opened %d\nfiles %" PRId64 "\nkib %" PRId64 "\nheap %" PRId64 "\n", ALL - FIRST,
               after.files - before.files, after.kib - before.kib, after.heap - before.heap);
    return code;
}
