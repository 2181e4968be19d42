/* main.c: the emulated DSP shell: a static Hexagon Linux program, run by qemu-hexagon.
 *
 *   fastrpc_shell serve KEY=VALUE...   Serves libcdsprpc, which passes the sockets.
 *   fastrpc_shell warm SKEL KEY=VALUE...
 *                                      Does so in a fork for each request.
 *   fastrpc_shell --check FILE [ARCH]  Checks whether a skel can be loaded. Runs none of its code.
 *   fastrpc_shell --undecoded FILE START SIZE
 *                                      Lists packets that qemu does not decode, in a part of a
 *                                      file.
 *   fastrpc_shell --symbols            Lists the exported names, each with its symbol table,
 *                                      and "unimplemented" names, which only real shells
 *                                      have.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core.h"
#include "module.h"
#include "saved_code.h"
#include "symbols.h"
#include "undecoded.h"
#include "unimplemented.h"
#include "waits.h"
#include "warm.h"

/* Waits for the DSP process and reports its wait status to libcdsprpc. The supervisor has one
 * thread and one child, the DSP process. The DSP process is therefore not a child of the client,
 * and the client's wait() never returns it. */
static void supervise(pid_t child)
{
    int status = 0;
    close(WIRE_FD_CONTROL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    struct wire_header header = {.kind = WIRE_DIED, .value = (uint32_t)status};
    wire_send(WIRE_FD_SUPERVISOR, &header, NULL, 0, -1);
    _exit(0);
}

static int serve_child(int count, char **facts)
{
    facts_set(count, facts);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    pid_t supervisor = getpid();
    if (shell_facts()->debug) { /* the debugger controls this process, and no child of it */
        fault_catch();
        fault_thread();
        serve();
    }
    pid_t child = fork();
    if (child < 0) {
        return 1;
    }
    if (child > 0) {
        supervise(child);
    }
    close(WIRE_FD_SUPERVISOR);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != supervisor) {
        return 1;
    }
    fcntl(WIRE_FD_CONTROL, F_SETFD, FD_CLOEXEC);
    waits_prepare();
    fault_catch();
    fault_thread();
    serve();
}

/* ---- --check ---- */

static int open_beside(void *context, const char *name, char *reason, size_t room)
{
    const char *file = context;
    const char *slash = strrchr(file, '/');
    char path[4096];
    snprintf(path, sizeof path, "%.*s%s", slash == NULL ? 0 : (int)(slash - file + 1), file, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        snprintf(reason, room, "%s: %s", path, strerror(errno));
    }
    return fd;
}

static int check(char *file, const char *arch)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        fprintf(stderr, "%s: %s\n", file, strerror(errno));
        return 2;
    }
    struct module *module;
    char reason[MODULE_REASON_MAX];
    const char *slash = strrchr(file, '/');
    int code = module_load(fd, slash == NULL ? file : slash + 1, (uint32_t)strtoul(arch, NULL, 16),
                           open_beside, file, 0, &module, reason);
    close(fd);
    if (code != 0) {
        fprintf(stderr, "0x%08x %s\n", (unsigned)code, reason);
        return 1;
    }
    printf("%s loads\n", module_name(module));
    module_unload(module);
    return 0;
}

static void list_unimplemented(const char *name)
{
    printf("unimplemented %s\n", name);
}

static int list_symbols(void)
{
    for (const struct symbol_table *table = symbol_tables; table->name != NULL; table++) {
        for (const struct shell_symbol *symbol = table->symbols; symbol->name != NULL; symbol++) {
            printf("%s %s\n", table->name, symbol->name);
        }
    }
    unimplemented_each(list_unimplemented);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc >= 2 && strcmp(argv[1], "serve") == 0) {
        saved_code_start(argv[0]);
        return serve_child(argc - 2, argv + 2);
    }
    if (argc >= 3 && strcmp(argv[1], "warm") == 0) {
        saved_code_start(argv[0]);
        facts_set(argc - 3, argv + 3);
        warm(argv[2], serve_child);
    }
    if ((argc == 3 || argc == 4) && strcmp(argv[1], "--check") == 0) {
        return check(argv[2], argc == 4 ? argv[3] : "81");
    }
    if (argc == 2 && strcmp(argv[1], "--symbols") == 0) {
        return list_symbols();
    }
    if (argc == 5 && strcmp(argv[1], "--undecoded") == 0) {
        return undecoded(argv[2], (uint32_t)strtoul(argv[3], NULL, 0),
                         (uint32_t)strtoul(argv[4], NULL, 0));
    }
    fprintf(stderr, "usage: fastrpc_shell --check FILE [ARCH] | --symbols\n"
                    "       fastrpc_shell --undecoded FILE START SIZE\n"
                    "       fastrpc_shell serve KEY=VALUE... (run by libcdsprpc)\n");
    return 2;
}
