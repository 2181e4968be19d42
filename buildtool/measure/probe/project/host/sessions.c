/* sessions.c: what stays behind when handles are opened and closed; sessions at the same time. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checks.h"

enum { FIRST = 100, ALL = 1000, SESSIONS_MAX = 8 };

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
        code = device_probe_open(skel_uri(), &another);
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

/* Opens the skel in another session of the DSP, which is its process `name`. */
static int open_session(char *name)
{
    remote_rpc_reserve_new_session_t more = {.domain_name = domain_name(),
                                             .domain_name_len = (uint32_t)strlen(domain_name()),
                                             .session_name = name,
                                             .session_name_len = (uint32_t)strlen(name)};
    char module[256], uri[512];
    remote_rpc_get_uri_t request = {.domain_name = more.domain_name,
                                    .domain_name_len = more.domain_name_len,
                                    .module_uri = module,
                                    .uri = uri,
                                    .uri_len = sizeof uri};
    remote_handle64 handle;
    int32_t arch, units;
    int code;

    snprintf(module, sizeof module, "%s", device_probe_URI);
    begin_step("FASTRPC_RESERVE_NEW_SESSION");
    code = remote_session_control(FASTRPC_RESERVE_NEW_SESSION, &more, sizeof more);
    if (code != 0)
        return code;
    request.session_id = more.session_id;
    request.module_uri_len = (uint32_t)strlen(module);
    begin_step("FASTRPC_GET_URI");
    code = remote_session_control(FASTRPC_GET_URI, &request, sizeof request);
    code = code != 0 ? code : choose_process((int)more.effective_domain_id);
    if (code != 0)
        return code;
    begin_step("remote_handle64_open");
    code = device_probe_open(uri, &handle);
    return code != 0 ? code : device_probe_info(handle, &arch, &units);
}

int check_parallel(remote_handle64 handle)
{
    char name[] = "probe-0";
    int32_t arch, units;
    int count = 1, code = 0;

    while (count < SESSIONS_MAX && code == 0) {
        name[sizeof name - 2]++;
        code = open_session(name);
        count += code == 0;
    }
    printf("parallel %d\ncode %d\n", count, code);
    begin_step("a call in the first session");
    return device_probe_info(handle, &arch, &units);
}
