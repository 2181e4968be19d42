/* command.c: the command line of the DSP process: qemu-hexagon, the shell, and facts for it. */
#define _GNU_SOURCE
#include "command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "bt_trace_record.h"
#include "crashes.h"
#include "log.h"
#include "memory.h"
#include "search.h"
#include "settings.h"
#include "text.h"
#include "uri.h"

#define FARF_MAX 512 /* libcdsprpc reads no longer file */
#define SOCKET_PATH_MAX (sizeof(((struct sockaddr_un *)0)->sun_path) - 1)

static void add(struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct command *command, const char *format, ...)
{
    const size_t room = sizeof command->text - command->used;
    if (room == 0 || command->count == COMMAND_ARGUMENTS_MAX - 1) {
        command->is_full = true;
        return;
    }
    va_list arguments;
    struct text text = text_start(command->text + command->used, room);
    va_start(arguments, format);
    text_add_list(&text, format, arguments);
    va_end(arguments);
    command->is_full |= text.used == room - 1; /* it may be truncated */
    command->used += text.used + 1;
    command->arguments[command->count++] = text.bytes;
}

/* Reads PROGRAM.farf on the library path: the levels of the RUNTIME_ messages that are logged, and
 * the source files that log them, all if there are none. Source: quic/fastrpc, src/log_config.c. */
static void read_farf(const struct session *session, char *text, size_t size)
{
    char file[256];
    int code;
    snprintf(file, sizeof file, "%s.farf", program_invocation_short_name);
    int fd = search_open(file, domain_name(session->effective % DOMAINS), true, &code);
    ssize_t got = fd < 0 ? 0 : read(fd, text, size - 1);
    text[got < 0 ? 0 : got] = 0;
    text[strcspn(text, "\r\n")] = 0;
    if (fd >= 0) {
        close(fd);
    }
}

/* Returns the path of the socket at which the next DSP process waits for a debugger (`buildtool run
 * sim --debug`), or NULL. */
static const char *debug_socket(void)
{
    const char *path = getenv("BUILDTOOL_SIM_DEBUG");
    /* The socket exists already when this is not the first DSP process of the run. */
    return path == NULL || path[0] == 0 || access(path, F_OK) == 0 ? NULL : path;
}

bool command_compose(struct command *command, const struct session *session,
                     const struct config *config)
{
    const struct settings settings = settings_of(session->effective);
    const char *counts = getenv("BUILDTOOL_SIM_COUNTS");
    const char *measure_stack = getenv("BUILDTOOL_SIM_STACK");
    const char *trace = getenv(BT_TRACE_VARIABLE);
    const char *profile = getenv("BUILDTOOL_SIM_PROFILE");
    const char *plugin = getenv("BUILDTOOL_SIM_PLUGIN");
    char farf[FARF_MAX];
    read_farf(session, farf, sizeof farf);
    memset(command, 0, sizeof *command);
    const struct dsp dsp = config_dsp(config, session->effective);
    add(command, "%s", config->qemu);
    if (config->qemu_cpu[0] != 0) {
        add(command, "-cpu");
        add(command, "%s", config->qemu_cpu);
    }
    const char *debug = debug_socket();
    if (debug != NULL) {
        command->is_full |= strlen(debug) > SOCKET_PATH_MAX; /* qemu would truncate it */
        add(command, "-g");
        add(command, "%s", debug);
    }
    if (plugin != NULL && plugin[0] != 0) { /* of qemu, with its options */
        add(command, "-plugin");
        add(command, "%s", plugin);
    }
    add(command, "%s", config->shell);
    add(command, "serve");
    add(command, "soc=%s", config->soc);
    add(command, "arch=0x%x", (unsigned)dsp.arch);
    add(command, "vtcm_bytes=%u", (unsigned)dsp.vtcm_bytes);
    add(command, "heap_bytes=%u", (unsigned)config->heap_bytes);
    add(command, "strict=%s", strict_mode());
    add(command, "fills_outputs=%d", strict_mode()[0] != 0 || getenv(FILL_VARIABLE) != NULL);
    add(command, "debug=%d", debug != NULL);
    add(command, "hvx_units=%u", (unsigned)dsp.hvx_units);
    add(command, "hw_threads=%u", (unsigned)config->hw_threads);
    add(command, "hmx=%u", (unsigned)dsp.hmx);
    add(command, "hmx_unit=%s", config->hmx_unit);
    add(command, "unsigned_pd=%d", settings.unsigned_module);
    add(command, "domain=%d", session->effective % DOMAINS);
    add(command, "session=%d", session->effective / DOMAINS);
    add(command, "client_pid=%d", (int)getpid());
    add(command, "priority=%d", settings.priority);
    add(command, "stack=%d", settings.stack_size);
    add(command, "measure_stack=%d", measure_stack != NULL && measure_stack[0] != 0);
    add(command, "state=%s", config->state);
    add(command, "reports=%s", crash_reports());
    add(command, "counts=%s", counts == NULL ? "" : counts);
    add(command, "trace=%s", trace == NULL ? "" : trace);
    add(command, "profile=%s", profile == NULL ? "" : profile);
    add(command, "farf=%s", farf);
    add(command, "levels=0x%x", log_levels());
    if (command->is_full) {
        log_message("the DSP process does not start: its command line has more than %d bytes, or "
                    "the path of the debugger's socket more than %d; shorten the paths in the "
                    "device's configuration, or TMPDIR",
                    COMMAND_TEXT_MAX, (int)SOCKET_PATH_MAX);
    }
    return !command->is_full;
}
