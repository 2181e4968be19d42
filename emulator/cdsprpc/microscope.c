/* microscope.c: what `buildtool run sim --strict` and `--debug` request, and the reports of crashes
 * that it reads. Environment variables carry both, because they reach every process of a run. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

#define DSP_PAGE 0x10000u /* of the emulated DSP */
#define ALIGNMENT 128u    /* of a vector */
#define MARK "@crash "    /* begins a line for programs */
#define REPORT_MAX 65536

const char *strict_mode(void)
{
    const char *mode = getenv("BUILDTOOL_SIM_STRICT");
    return mode != NULL && (strcmp(mode, "back") == 0 || strcmp(mode, "front") == 0) ? mode : "";
}

size_t strict_layout(size_t size, size_t *file_size)
{
    size_t rounded = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    *file_size = (rounded + DSP_PAGE - 1) & ~(size_t)(DSP_PAGE - 1);
    return strcmp(strict_mode(), "front") == 0 ? 0 : *file_size - rounded;
}

const char *debug_socket(void)
{
    const char *path = getenv("BUILDTOOL_SIM_DEBUG");
    /* The socket exists already when this is not the first DSP process of the run. */
    return path == NULL || path[0] == 0 || access(path, F_OK) == 0 ? NULL : path;
}

bool crash_is_for_programs(const char *line)
{
    return strncmp(line, MARK, strlen(MARK)) == 0;
}

void crash_pass_on(int errors)
{
    const char *path = getenv("BUILDTOOL_SIM_CRASHES");
    char *text = path == NULL || path[0] == 0 ? NULL : malloc(REPORT_MAX);
    ssize_t got = text == NULL ? 0 : pread(errors, text, REPORT_MAX - 1, 0);
    int fd = got <= 0 ? -1 : open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0) {
        text[got] = 0;
        char *rest = text;
        for (char *line; (line = strtok_r(rest, "\n", &rest)) != NULL;) {
            size_t length = strlen(line);
            line[length] = '\n'; /* replaces the terminator */
            if (crash_is_for_programs(line) && write(fd, line, length + 1) < 0) {
                break;
            }
        }
        close(fd);
    }
    free(text);
}
