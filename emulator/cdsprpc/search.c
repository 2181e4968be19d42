/* search.c: finds skels and libraries for the DSP, in the order of the open-source libcdsprpc
 * (qualcomm/fastrpc at 95e4a197, src/fastrpc_apps_user.c and apps_std_imp.c).
 *
 * DSP_LIBRARY_PATH, or ADSP_LIBRARY_PATH if the former is not set, is a list of directories,
 * separated by `;`. An empty element is the working directory. The system's directory for the arch of
 * the DSP and the default directories follow. In each directory, <domain>/<file> takes precedence over
 * <file>. */
#include "search.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "log.h"
#include "text.h"
#include "uri.h"

#define DEFAULTS "/usr/share/qcom/hexagon/v%x;/usr/lib/rfsa/adsp;/usr/lib/dsp"
#define TRIED_MAX 4096

struct search {
    const char *file;
    const char *domain;
    int found;
    bool refused;  /* a file was found and could not be read */
    bool colon;    /* a missing directory has a `:` in its name */
    uint32_t arch; /* of a missing directory dsp/<arch> of a release; 0: none */
    char lines[TRIED_MAX];
    struct text tried; /* stored in `lines` */
};

static const char *library_path(const char **variable)
{
    const char *path = getenv("DSP_LIBRARY_PATH");
    *variable = "DSP_LIBRARY_PATH";
    if (path == NULL) {
        path = getenv("ADSP_LIBRARY_PATH");
        *variable = "ADSP_LIBRARY_PATH";
    }
    return path;
}

/* On a device, a release has the skels of one arch only. Notes which other one a path names. */
static void note_arch(struct search *search, const char *path)
{
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", path);
    char *arch = NULL;
    for (char *at = strstr(folder, "dsp/v"); at != NULL; at = strstr(at + 1, "dsp/v")) {
        arch = at == folder || at[-1] == '/' ? at + strlen("dsp/") : arch;
    }
    if (arch == NULL) {
        return;
    }
    char *end;
    uint32_t number = (uint32_t)strtoul(arch + 1, &end, 16);
    if (*end != '/' || end == arch + 1) {
        return;
    }
    *end = 0;
    struct stat status; /* access() of qemu-aarch64 does not look in the device root */
    bool missing = stat(folder, &status) != 0;
    *arch = 0;
    if (missing && stat(folder, &status) == 0) {
        search->arch = number;
    }
}

static void try(struct search *search, const char *path)
{
    struct stat status;
    const char *outcome = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        search->found = fd;
        return;
    }
    if (fd >= 0) {
        outcome = " (not a file)";
        close(fd);
    } else if (errno == EACCES) {
        search->refused = true;
        outcome = " (no permission)";
    } else {
        note_arch(search, path);
    }
    text_add(&search->tried, "\n    %s%s", path, outcome);
}

static void try_directory(struct search *search, const char *name, size_t length)
{
    char directory[2048];
    char path[4096];
    struct stat status;
    if (length >= sizeof directory) {
        return;
    }
    snprintf(directory, sizeof directory, "%.*s", length == 0 ? 1 : (int)length,
             length == 0 ? "." : name);
    if (strchr(directory, ':') != NULL && stat(directory, &status) != 0) {
        search->colon = true;
    }
    snprintf(path, sizeof path, "%s/%s/%s", directory, search->domain, search->file);
    try(search, path);
    if (search->found < 0) {
        snprintf(path, sizeof path, "%s/%s", directory, search->file);
        try(search, path);
    }
}

static void try_list(struct search *search, const char *list)
{
    for (;;) {
        size_t length = strcspn(list, ";");
        try_directory(search, list, length);
        if (search->found >= 0 || list[length] == 0) {
            return;
        }
        list += length + 1;
    }
}

static uint32_t own_arch(const struct search *search)
{
    const char *domain = search->domain;
    return config_dsp(config_get(), domain_by_name(domain, strlen(domain))).arch;
}

static void describe_arch(const struct search *search, char *text, size_t room)
{
    uint32_t own = own_arch(search);
    if (search->arch > own) {
        snprintf(text, room,
                 "; the skels for v%x were left out of what was sent, because the DSP is v%x and "
                 "loads none for a newer one",
                 (unsigned)search->arch, (unsigned)own);
    } else if (search->arch != 0) {
        snprintf(text, room,
                 "; the skels for v%x were left out of what was sent, because only the newest ones "
                 "that the DSP (v%x) loads are sent",
                 (unsigned)search->arch, (unsigned)own);
    }
}

static void complain(const struct search *search, const char *variable, const char *path)
{
    const char *both = getenv("DSP_LIBRARY_PATH") != NULL && getenv("ADSP_LIBRARY_PATH") != NULL
                           ? "; DSP_LIBRARY_PATH is set, so ADSP_LIBRARY_PATH does not count"
                           : "";
    const char *colon = search->colon ? "; ':' does not separate directories there, ';' does" : "";
    char arch[256] = "";
    describe_arch(search, arch, sizeof arch);
    if (path == NULL) {
        log_message(
            "%s for %s is not in the default directories, and ADSP_LIBRARY_PATH is not set%s; "
            "looked for:%s",
            search->file, search->domain, arch, search->lines);
    } else {
        log_message("%s for %s is not in the directories of %s=%s, nor in the default ones%s%s%s; "
                    "looked for:%s",
                    search->file, search->domain, variable, path, colon, both, arch, search->lines);
    }
}

int search_open(const char *file, const char *domain, bool quiet, int *code)
{
    struct search search = {.file = file, .domain = domain, .found = -1};
    search.tried = text_start(search.lines, sizeof search.lines);
    const char *variable;
    const char *path = library_path(&variable);
    if (file[0] == '/') {
        try(&search, file);
    }
    if (search.found < 0 && path != NULL) {
        try_list(&search, path);
    }
    if (search.found < 0) {
        char defaults[sizeof DEFAULTS + 8];
        snprintf(defaults, sizeof defaults, DEFAULTS, (unsigned)own_arch(&search));
        try_list(&search, defaults);
    }
    if (search.found < 0) {
        *code = DSP_CODE(search.refused ? AEE_EBADPERMS : AEE_EUNABLETOLOAD);
        if (!quiet) {
            complain(&search, variable, path);
        }
    }
    return search.found;
}
