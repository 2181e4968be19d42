/* program_crash.c: reports where the program itself crashed, on the ARM64 side: a line of JSON in
 * the file that `buildtool` reads. Then the signal has its default action, as without a report.
 *
 * A handler that the program has when it loads the library, or sets later, is left alone. */
#define _GNU_SOURCE
#include "program_crash.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "buffers.h"
#include "crashes.h"
#include "text.h"

#define STACK_BYTES 65536u
#define LINE_BYTES 8192
#define FRAMES_MAX 32
#define FRAME_BYTES_MAX (1u << 20) /* between two frame records */
#define NULL_REACH 0x10000u        /* an access this near to 0 is one through a null pointer */
#define BUILD_ID_BYTES 20
#define NOTE_BUILD_ID 3

static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};

static char reports[PATH_MAX];
static void *handler_stack;

/* ---- places in code ---- */

struct place {
    uintptr_t address;
    const char *module; /* NULL: in no module */
    uintptr_t offset;   /* link-time address */
    const uint8_t *build_id;
};

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static const uint8_t *build_id_in(const ElfW(Nhdr) * note, const uint8_t *end)
{
    while ((const uint8_t *)(note + 1) < end) {
        const uint8_t *name = (const uint8_t *)(note + 1);
        const uint8_t *bytes = name + ((note->n_namesz + 3u) & ~3u);
        if (note->n_type == NOTE_BUILD_ID && note->n_descsz == BUILD_ID_BYTES &&
            note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
            return bytes;
        }
        note = (const ElfW(Nhdr) *)(bytes + ((note->n_descsz + 3u) & ~3u));
    }
    return NULL;
}

static int find_module(struct dl_phdr_info *module, size_t size, void *context)
{
    struct place *place = context;
    const uint8_t *build_id = NULL;
    bool found = false;
    (void)size;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        const uintptr_t start = module->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) != 0) {
            found |= place->address >= start && place->address - start < segment->p_memsz;
        } else if (segment->p_type == PT_NOTE && build_id == NULL) {
            build_id = build_id_in((const ElfW(Nhdr) *)start,
                                   (const uint8_t *)start + segment->p_memsz);
        }
    }
    if (found) {
        const char *program = (const char *)getauxval(AT_EXECFN);
        const bool named = module->dlpi_name != NULL && module->dlpi_name[0] != 0;
        place->module = file_name(named ? module->dlpi_name : program == NULL ? "" : program);
        place->offset = place->address - module->dlpi_addr;
        place->build_id = build_id;
    }
    return found;
}

static bool add_place(struct text *text, const char *before, uintptr_t address)
{
    struct place place = {.address = address};
    if (address == 0 || dl_iterate_phdr(find_module, &place) == 0) {
        return false;
    }
    text_add(text, "%s{\"module\":\"%s\",\"offset\":%lu", before, place.module,
             (unsigned long)place.offset);
    for (int i = 0; place.build_id != NULL && i < BUILD_ID_BYTES; i++) {
        text_add(text, "%s%02x", i == 0 ? ",\"build_id\":\"" : "", place.build_id[i]);
    }
    text_add(text, "%s}", place.build_id == NULL ? "" : "\"");
    return true;
}

/* Reads memory that may not be there. */
static bool read_memory(uintptr_t address, void *to, size_t size)
{
    int ends[2];
    bool good = false;
    if (pipe2(ends, O_CLOEXEC) == 0) {
        good = write(ends[1], (const void *)address, size) == (ssize_t)size &&
               read(ends[0], to, size) == (ssize_t)size;
        close(ends[0]);
        close(ends[1]);
    }
    return good;
}

/* Adds the return addresses in the frame records from a frame pointer on. */
static void add_frames(struct text *text, uintptr_t frame)
{
    uintptr_t record[2]; /* the caller's record, the return address */
    text_add(text, ",\"frames\":[");
    bool first = true;
    for (int i = 0; i < FRAMES_MAX && text->used + 512 < text->room; i++) {
        if (frame % 16 != 0 || !read_memory(frame, record, sizeof record)) {
            break;
        }
        first = !add_place(text, first ? "" : ",", record[1]) && first;
        if (record[0] <= frame || record[0] - frame > FRAME_BYTES_MAX) {
            break;
        }
        frame = record[0];
    }
    text_add(text, "]");
}

/* ---- the report ---- */

static void add_region(struct text *text, uintptr_t address)
{
    struct buffer_place place;
    if (!buffers_near(address, &place)) {
        return;
    }
    text_add(text,
             ",\"region\":{\"kind\":\"%s\",\"size\":%zu,\"gone\":%s,\"index\":%d,"
             "\"distance\":%lld,\"inside\":%lld",
             place.allocated == 0 ? "shared" : "rpcmem", place.size, place.gone ? "true" : "false",
             place.client_fd, (long long)place.distance, (long long)place.inside);
    add_place(text, ",\"allocated\":", place.allocated);
    text_add(text, "}");
}

static void add_cause(struct text *text, int number, uintptr_t address, uintptr_t pc)
{
    const char *names[] = {"bad memory access (SIGSEGV)", "misaligned or lost memory (SIGBUS)",
                           "illegal instruction (SIGILL)", "arithmetic fault (SIGFPE)"};
    int which = 0;
    while (fatal[which] != number) {
        which++;
    }
    if (which < 2 && address == pc) {
        text_add(text, "a jump to 0x%lx, where no code is", (unsigned long)pc);
        return;
    }
    text_add(text, "%s", names[which]);
    if (which < 2) {
        text_add(text, " at address 0x%lx%s", (unsigned long)address,
                 address < NULL_REACH ? ", through a null pointer" : "");
    }
}

/* The program counter, the link register and the frame pointer of AArch64; on another processor,
 * where only tests of this library run, none are known. */
struct registers {
    uintptr_t pc, lr, fp;
};

static struct registers registers_of(const mcontext_t *machine)
{
#ifdef __aarch64__
    return (struct registers){machine->pc, machine->regs[30], machine->regs[29]};
#else
    (void)machine;
    return (struct registers){0};
#endif
}

static void report(int number, uintptr_t address, struct registers registers)
{
    static char line[LINE_BYTES];
    struct text text = text_start(line, sizeof line);
    text_add(&text, "@crash {\"kind\":\"program\",\"text\":\"");
    add_cause(&text, number, address, registers.pc);
    text_add(&text, "\"");
    if (number == SIGSEGV || number == SIGBUS) {
        add_region(&text, address);
    }
    add_place(&text, ",\"pc\":", registers.pc);
    add_place(&text, ",\"lr\":", registers.lr);
    add_frames(&text, registers.fp);
    text_add(&text, "}");
    line[text.used] = '\n'; /* replaces the terminator */
    int fd = open(reports, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0) {
        if (write(fd, line, text.used + 1) < 0) {
            line[0] = 0; /* the signal is still reported */
        }
        close(fd);
    }
}

static void on_crash(int number, siginfo_t *information, void *context)
{
    static int entered;
    const bool sent = information->si_code <= 0; /* by kill(), so the code is not to blame */
    if (!sent && !__atomic_exchange_n(&entered, 1, __ATOMIC_ACQ_REL)) {
        report(number, (uintptr_t)information->si_addr,
               registers_of(&((const ucontext_t *)context)->uc_mcontext));
    }
    signal(number, SIG_DFL);
    if (sent) {
        raise(number);
    } /* otherwise the instruction raises the signal again */
}

static bool is_ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) != 0 && action->sa_sigaction == on_crash;
}

void program_crash_catch(void)
{
    struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct sigaction before;
    const char *path = crash_reports();
    const size_t length = strlen(path);
    if (length == 0 || length >= sizeof reports) {
        return;
    }
    memcpy(reports, path, length + 1);
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++) {
        if (sigaction(fatal[i], NULL, &before) == 0 && (before.sa_flags & SA_SIGINFO) == 0 &&
            before.sa_handler == SIG_DFL) {
            sigaction(fatal[i], &action, NULL);
        }
    }
    /* So that the overflow of the main thread's stack is reported, too. */
    stack_t stack;
    if (sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_DISABLE) != 0) {
        handler_stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                             -1, 0);
        stack = (stack_t){.ss_sp = handler_stack, .ss_size = STACK_BYTES};
        if (handler_stack != MAP_FAILED) {
            sigaltstack(&stack, NULL);
        }
    }
}

void program_crash_forget(void)
{
    struct sigaction action;
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++) {
        if (sigaction(fatal[i], NULL, &action) == 0 && is_ours(&action)) {
            signal(fatal[i], SIG_DFL);
        }
    }
    /* The stack stays, if it is another thread's. */
    stack_t stack;
    const stack_t none = {.ss_flags = SS_DISABLE};
    if (handler_stack != NULL && sigaltstack(NULL, &stack) == 0 && stack.ss_sp == handler_stack &&
        sigaltstack(&none, NULL) == 0) {
        munmap(handler_stack, STACK_BYTES);
    }
}
