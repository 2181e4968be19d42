/* undecoded.c: finds the packets that qemu cannot decode or translate.
 *
 * Such a packet ends qemu itself, without a signal for the program. qemu translates whole blocks
 * before it executes them, so a block is made of each packet: one that faults, then the packet,
 * which is translated and never executed. Child processes try them in turn; one that qemu ends has
 * come to such a packet. */
#include "undecoded.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "translate/thunk.h"

#define BLOCK_WORDS 8
#define FOUND_MAX 16

/* Sets r28 to 0 and reads from there; the two bits say that a packet ends. */
__asm__(".text\n.p2align 2\nundecoded_fault:\n{ r28 = #0 }\n{ r28 = memw(r28+#0) }\n"
        "undecoded_return:\n{ jumpr r31 }\n");
extern const uint32_t undecoded_fault[2], undecoded_return[1];

static jmp_buf next;

static void skip(int number)
{
    (void)number;
    longjmp(next, 1);
}

/* Whether another packet takes its place when the skel is loaded. */
static bool is_replaced(const uint32_t *packet, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (thunk_replaces(packet[i])) {
            return true;
        }
    }
    return false;
}

/* Writes a block for each packet that is not replaced, and its offset. Returns their number. */
static size_t write_blocks(const uint32_t *code, size_t words, uint32_t *blocks, uint32_t *offsets)
{
    size_t count = 0, length;
    for (size_t at = 0; at < words; at += length) {
        length = 1;
        while (length < PACKET_WORDS_MAX && at + length < words &&
               !ends_packet(code[at + length - 1])) {
            length++;
        }
        if (is_replaced(code + at, length)) {
            continue;
        }
        uint32_t *block = blocks + count * BLOCK_WORDS;
        memcpy(block, undecoded_fault, sizeof undecoded_fault);
        memcpy(block + 2, code + at, length * sizeof *code);
        block[2 + length] = undecoded_return[0];
        offsets[count++] = (uint32_t)(at * sizeof *code);
    }
    return count;
}

/* Tries the blocks from *at on, and stores which one it tries. */
static void try_blocks(const uint32_t *blocks, size_t count, volatile size_t *at)
{
    int null = open("/dev/null", O_WRONLY); /* for the assertions of qemu */
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = skip;
    action.sa_flags = (int)SA_NODEFER;
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGILL, &action, NULL);
    for (; *at < count; *at = *at + 1) {
        if (setjmp(next) == 0) {
            ((void (*)(void))(uintptr_t)(blocks + *at * BLOCK_WORDS))();
        }
    }
    _exit(0);
}

int undecoded(const char *path, uint32_t start, uint32_t size)
{
    const int protection = PROT_READ | PROT_WRITE, flags = MAP_SHARED | MAP_ANONYMOUS;
    const size_t words = size / sizeof(uint32_t);
    const size_t bytes = (BLOCK_WORDS + 2) * words * sizeof(uint32_t);
    uint32_t *blocks = mmap(NULL, bytes, protection, flags, -1, 0);
    volatile size_t *at = mmap(NULL, sizeof *at, protection, flags, -1, 0);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || blocks == MAP_FAILED || at == MAP_FAILED) {
        perror(path);
        return 2;
    }
    uint32_t *code = blocks + BLOCK_WORDS * words, *offsets = code + words;
    const ssize_t got = pread(fd, code, words * sizeof *code, (off_t)start);
    close(fd);
    if (got != (ssize_t)(words * sizeof *code)) {
        perror(path);
        return 2;
    }
    const size_t count = write_blocks(code, words, blocks, offsets);
    if (mprotect(blocks, bytes, PROT_READ | PROT_EXEC) != 0) {
        perror(path);
        return 2;
    }
    for (int found = 0; *at < count && found < FOUND_MAX; found++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            try_blocks(blocks, count, at);
        }
        if (child < 0 || waitpid(child, &status, 0) != child) {
            return 2;
        }
        if (*at < count) {
            printf("0x%x\n", (unsigned)(start + offsets[*at]));
            *at = *at + 1;
        }
    }
    return 0;
}
