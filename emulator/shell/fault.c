/* fault.c: reports where a skel crashed.
 *
 * Writes the report to standard error, a file that libcdsprpc reads after the process has ended,
 * and then raises the signal again with its default action. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "core.h"
#include "module.h"
#include "text.h"

#define REPORT_STACK 16384
#define REPORT_MAX 1024          /* enough for two file names */
#define TRAP_ADDRESS 0xbadc0feeu /* the address that LLVM's trap code reads */

_Thread_local struct fault_context fault_context;

static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};

static const char *signal_name(int number)
{
    switch (number) {
    case SIGSEGV:
        return "bad memory access (SIGSEGV)";
    case SIGBUS:
        return "misaligned or lost memory (SIGBUS)";
    case SIGILL:
        return "illegal instruction (SIGILL)";
    case SIGFPE:
        return "arithmetic fault (SIGFPE)";
    case SIGTRAP:
        return "trap (SIGTRAP)";
    case SIGABRT:
        return "abort()";
    default:
        return "fatal signal";
    }
}

static void report(int number, siginfo_t *information, void *context)
{
    const ucontext_t *machine = context;
    uintptr_t pc = machine->uc_mcontext.pc;
    uintptr_t address = (uintptr_t)information->si_addr;
    char line[REPORT_MAX];
    struct text text = text_start(line, sizeof line);
    uint32_t offset = 0;
    const char *module = module_at(pc, &offset);
    bool memory = number == SIGSEGV || number == SIGBUS;
    if (memory && address == TRAP_ADDRESS) {
        text_add(&text, "a compiler trap (__builtin_trap, or code that is marked unreachable)");
    } else {
        text_add(&text, "%s", signal_name(number));
    }
    if (memory && address != TRAP_ADDRESS) {
        text_add(&text, " at address 0x%lx", (unsigned long)address);
    }
    if (module != NULL) {
        text_add(&text, ", code at %s+0x%x", module, (unsigned)offset);
    }
    if (fault_context.skel != NULL) {
        text_add(&text, ", in method %u of %s", (unsigned)fault_context.method, fault_context.skel);
    } else {
        text_add(&text, ", in a thread that a skel created");
    }
    line[text.used] = '\n'; /* replaces the terminator */
    if (write(STDERR_FILENO, line, text.used + 1) < 0) {
        _exit(128 + number);
    }
    signal(number, SIG_DFL);
    raise(number);
    _exit(128 + number);
}

void fault_catch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = report;
    action.sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++) {
        sigaction(fatal[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN);
}

void fault_thread(void)
{
    void *memory = mmap(NULL, REPORT_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                        0);
    if (memory != MAP_FAILED) {
        stack_t stack = {.ss_sp = memory, .ss_size = REPORT_STACK};
        sigaltstack(&stack, NULL);
    }
}
