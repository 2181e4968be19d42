/* crashes.c: passes the reports of crashes on to `buildtool`. An environment variable names the
 * file, because it reaches every process of a run. */
#include "crashes.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define MARK "@crash " /* begins a line for programs */
#define REPORT_MAX 65536

bool crash_is_for_programs(const char *line)
{
    return strncmp(line, MARK, strlen(MARK)) == 0;
}

const char *crash_reports(void)
{
    const char *path = getenv("BUILDTOOL_SIM_CRASHES");
    return path == NULL ? "" : path;
}

void crash_pass_on(int errors, const char *why)
{
    const char *path = crash_reports();
    char *text = path[0] == 0 ? NULL : malloc(REPORT_MAX);
    ssize_t got = text == NULL ? 0 : pread(errors, text, REPORT_MAX - 1, 0);
    int fd = text == NULL ? -1 : open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0) {
        bool passed = false;
        text[got < 0 ? 0 : got] = 0;
        char *rest = text;
        for (char *line; (line = strtok_r(rest, "\n", &rest)) != NULL;) {
            struct iovec parts[] = {{line, strlen(line)}, {"\n", 1}};
            passed = (crash_is_for_programs(line) && writev(fd, parts, 2) > 0) || passed;
        }
        if (!passed) {
            dprintf(fd, MARK "{\"kind\":\"process\",\"text\":\"%s\"}\n", why);
        }
        close(fd);
    }
    free(text);
}
