/* fault.c: finds out why a skel crashed.
 *
 * Writes the report to standard error, a file that libcdsprpc reads after the process has ended,
 * and then raises the signal again with its default action. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core.h"
#include "guarded.h"
#include "image.h"
#include "in_arguments.h"
#include "module.h"
#include "signal_handler.h"
#include "text.h"
#include "translate/thunk.h"

#define REPORT_STACK 32768
#define TEXT_MAX 256
#define NULL_REACH 0x10000u      /* an access this near to 0 is one through a null pointer */
#define TRAP_ADDRESS 0xbadc0feeu /* the address that LLVM's trap code reads */

/* LLVM 22 relocates the read of one member wrongly, but only in the file of the definition. */
_Thread_local struct fault_context fault_context;
_Thread_local struct fault_stack fault_stack;

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

bool in_shell(uintptr_t address)
{
    extern const char __executable_start[], etext[];
    return address >= (uintptr_t)__executable_start && address < (uintptr_t)etext;
}

static bool in_constant(uintptr_t address)
{
    uint32_t offset = 0;
    const struct image *image = module_at(address, &offset) == NULL ? NULL
                                                                    : module_image_at(address);
    return image != NULL && image_holds(image, offset, 1, 0) &&
           !image_holds(image, offset, 1, PF_W);
}

/* Describes the execution of an address that is not code. */
static const char *describe_jump(const struct crash *crash, struct text *text)
{
    text_add(text,
             "a jump to 0x%lx, where no code is: a return address or a function pointer was "
             "overwritten",
             (unsigned long)crash->pc);
    return "jump";
}

/* Describes an instruction whose packet was not translated, see translate/translate.h. */
static const char *describe_stop(const char *instruction, const char *why, struct text *text)
{
    if (form_is_lacked(why)) {
        text_add(text, "%s: %s", instruction, why);
        return "unsupported";
    }
    text_add(text, "%s: the emulated device does not execute this instruction%s%s", instruction,
             why[0] == 0 ? " of HVX" : ", because of its packet: ", why);
    return "unsupported";
}

/* Describes a bad access to memory. */
static const char *describe_access(const struct crash *crash, struct text *text)
{
    struct frame frame;
    const char *why, *instruction = module_stopped_at(crash->pc, &why);
    if (instruction != NULL) {
        return describe_stop(instruction, why, text);
    }
    if (crash->address == TRAP_ADDRESS) {
        text_add(text, "a compiler trap (__builtin_trap, or code that is marked unreachable)");
        return "trap";
    }
    if (!frame_at(crash->pc, &frame) && !in_shell(crash->pc)) {
        return describe_jump(crash, text);
    }
    if (crash->overflow) {
        overflow_describe(crash, text);
        return "stack";
    }
    if (in_argument_holds(crash->address)) {
        text_add(text, "a write to an argument that is only sent (in)");
        return "in";
    }
    text_add(text, "%s at address 0x%lx", signal_name(crash->number),
             (unsigned long)crash->address);
    if (crash->address < NULL_REACH) {
        text_add(text, ", through a null pointer");
        return "null";
    }
    if (in_constant(crash->address)) {
        text_add(text, ", a write to code or constant data");
        return "constant";
    }
    return "memory";
}

/* Describes an instruction that the emulator does not execute. */
static const char *describe_instruction(const struct crash *crash, struct text *text)
{
    struct frame frame;
    if (!frame_at(crash->pc, &frame)) {
        return describe_jump(crash, text);
    }
    text_add(text, "illegal instruction 0x%08x (SIGILL): the emulator does not have it",
             (unsigned)*(const uint32_t *)crash->pc);
    return "illegal";
}

static void end(int number) __attribute__((noreturn));

static void end(int number)
{
    signal(number, SIG_DFL);
    raise(number);
    _exit(128 + number);
}

/* Lets only the first thread that crashes report. */
static void enter_report(int number)
{
    static int entered;
    if (__atomic_exchange_n(&entered, 1, __ATOMIC_ACQ_REL)) {
        end(number);
    }
}

/* The functions of the shell need more stack than their counterparts on a DSP. Makes the page
 * below an exact stack usable for them. Returns whether the instruction can run again. */
static bool extend_for_shell(uintptr_t pc, uintptr_t address)
{
    size_t page = guarded_page();
    return fault_stack.exact && overflow_guard(address) && in_shell(pc) &&
           mprotect((void *)(fault_stack.low - page), page, PROT_READ | PROT_WRITE) == 0;
}

void fault_handle(int number, siginfo_t *information, void *context);
void fault_handle(int number, siginfo_t *information, void *context)
{
    const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;
    const uintptr_t pc = interrupted_pc(machine);
    bool memory = number == SIGSEGV || number == SIGBUS;
    uintptr_t address = memory ? (uintptr_t)information->si_addr : 0;
    if (number == SIGSEGV && pc != address &&
        (extend_for_shell(pc, address) || in_arguments_loosen(address))) {
        return;
    }
    enter_report(number);
    char words[TEXT_MAX];
    struct text text = text_start(words, sizeof words);
    struct crash crash = {.kind = "signal",
                          .text = words,
                          .number = number,
                          .pc = pc,
                          .lr = module_return_address(pc, machine->r31, machine->r29),
                          .fp = machine->r30,
                          .sp = machine->r29,
                          .address = address};
    if (memory) {
        crash.overflow = is_overflow(&crash);
        crash.kind = describe_access(&crash, &text);
    } else if (number == SIGILL) {
        crash.kind = describe_instruction(&crash, &text);
    } else {
        text_add(&text, "%s", signal_name(number));
    }
    report_crash(&crash);
    end(number);
}

void fault_on_signal(int number, siginfo_t *information, void *context);
SIGNAL_HANDLER("fault_on_signal", "fault_handle");

void shell_stop(const char *kind, uintptr_t address, const char *text)
{
    enter_report(SIGABRT);
    const struct crash crash = {.kind = kind,
                                .text = text,
                                .number = SIGABRT,
                                .fp = (uintptr_t)__builtin_frame_address(0),
                                .address = address};
    report_crash(&crash);
    end(SIGABRT);
}

void fault_catch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = fault_on_signal;
    action.sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_NODEFER);
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
    pthread_attr_t attributes;
    void *low = NULL;
    size_t size = 0;
    /* The main thread runs no skel, and musl can search the end of its stack for ever. */
    if (gettid() != getpid() && pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &low, &size);
        pthread_attr_destroy(&attributes);
        fault_stack = (struct fault_stack){.low = (uintptr_t)low,
                                           .high = (uintptr_t)low + size,
                                           .asked = shell_facts()->stack_bytes};
    }
}

void fault_thread_end(void)
{
    const stack_t none = {.ss_flags = SS_DISABLE};
    stack_t stack;
    if (sigaltstack(&none, &stack) == 0 && (stack.ss_flags & SS_DISABLE) == 0) {
        munmap(stack.ss_sp, stack.ss_size);
    }
}
