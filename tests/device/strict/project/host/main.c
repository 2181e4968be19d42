/* Calls one method: faults METHOD [WORD] [NUMBER...], and prints the code and the result. With
 * SHARED set the buffers are from rpcmem_alloc. STATUS is the exit status in place of one that says
 * whether the method returned 0, SECONDS how long the program lives after that. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faults.h"
#include "remote.h"
#include "rpcmem.h"

static unsigned char *buffer(int size)
{
    unsigned char *bytes;
    if (getenv("SHARED") == NULL) {
        bytes = malloc((size_t)size);
    } else {
        bytes = rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, 1, size); /* here: allocate */
    }
    memset(bytes, 1, (size_t)size);
    return bytes;
}

/* Mistakes of the program itself. The tests search the lines of the comments "here: ...". */
static __attribute__((noinline)) void write_byte(volatile unsigned char *at)
{
    *at = 7; /* here: write */
}

static void *write_null(void *unused)
{
    write_byte(NULL);
    return unused;
}

static void exit_at(int number)
{
    _exit(number);
}

static __attribute__((noinline)) int fault(const char *what, int size, int at)
{
    unsigned char *bytes = buffer(size);
    if (strcmp(what, "freed") == 0) {
        rpcmem_free(bytes);
    } else if (strcmp(what, "copy") == 0) {
        memset(bytes, 2, (size_t)at); /* here: copy */
        return 1;
    } else if (strcmp(what, "thread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, write_null, NULL);
        pthread_join(thread, NULL);
    } else if (strcmp(what, "handled") == 0) {
        signal(SIGSEGV, exit_at);
    } else if (strcmp(what, "raised") == 0) {
        raise(SIGSEGV);
    }
    write_byte(bytes + at); /* here: call */
    return bytes[0];
}

/* Threads that send the same data, and whose results are on its page. */
struct crowd {
    remote_handle64 handle;
    const unsigned char *data;
    unsigned char *result;
    int size, failed;
};

static void *spoil_nothing(void *argument)
{
    struct crowd *one = argument;
    for (int i = 0; i < 50; i++) {
        memset(one->result, 0, (size_t)one->size);
        one->failed |= faults_spoil(one->handle, one->data, one->size, -1, one->result, one->size);
        one->failed |= memcmp(one->data, one->result, (size_t)one->size);
    }
    return NULL;
}

static int crowd(remote_handle64 handle, int size)
{
    unsigned char *bytes = buffer(5 * size);
    struct crowd all[4];
    pthread_t threads[4];
    int failed = 0;
    for (int i = 0; i < 4; i++) {
        all[i] = (struct crowd){handle, bytes, bytes + (i + 1) * size, size, 0};
        pthread_create(&threads[i], NULL, spoil_nothing, &all[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        failed |= all[i].failed;
    }
    return failed;
}

static int call(remote_handle64 handle, char **word)
{
    const char *method = *word++;
    const char *text = word[0] == NULL ? "" : word[0];
    int a = atoi(text), b = word[0] == NULL || word[1] == NULL ? 0 : atoi(word[1]);
    int c = word[0] == NULL || word[1] == NULL || word[2] == NULL ? 0 : atoi(word[2]);
    int32_t total = 0;
    int code = 0;
    if (strcmp(method, "program") == 0) {
        return fault(text, b, c);
    }
    if (strcmp(method, "sum") == 0) {
        code = faults_sum(handle, buffer(a), a, b, c, &total);
    } else if (strcmp(method, "vectors") == 0) {
        code = faults_vectors(handle, buffer(a), a, b, &total);
    } else if (strcmp(method, "fill") == 0) {
        unsigned char *result = buffer(a);
        code = faults_fill(handle, b, result, a);
        total = code == 0 ? result[a - 1] : 0;
    } else if (strcmp(method, "keep") == 0) {
        unsigned char *data = buffer(a);
        code = faults_keep(handle, data, a);
        if (getenv("SHARED") != NULL) {
            rpcmem_free(data);
        }
        code = code != 0 ? code : faults_use_kept(handle, b, &total);
    } else if (strcmp(method, "heap") == 0) {
        code = faults_heap(handle, text, b, &total);
    } else if (strcmp(method, "spoil") == 0) {
        unsigned char *both = buffer(3 * a); /* all on one page of the DSP */
        unsigned char *data = c == 0 ? buffer(a) : both + a;
        unsigned char *result = c == 0 ? buffer(a) : c > 0 ? both : both + 2 * a;
        code = faults_spoil(handle, data, a, b, result, a);
        total = code == 0 && memcmp(data, result, (size_t)a) == 0;
    } else if (strcmp(method, "crowd") == 0) {
        code = crowd(handle, a);
    } else if (strcmp(method, "piece") == 0) {
        const piece part = {.bytes = buffer(a), .bytesLen = a, .first = 3};
        code = faults_spoil_piece(handle, &part, b);
    } else if (strcmp(method, "text") == 0) {
        char *words = (char *)buffer(a);
        words[a - 1] = 0;
        code = faults_spoil_text(handle, words, b);
    } else if (strcmp(method, "mapped") == 0) {
        unsigned char *data = buffer(a);
        int fd = rpcmem_to_fd(data);
        code = fastrpc_mmap(CDSP_DOMAIN_ID, fd, data, 0, (size_t)a, FASTRPC_MAP_FD);
        code = code != 0 ? code
               : c == 0  ? faults_spoil_mapped(handle, data, a, fd, b)
                         : faults_spoil(handle, data, a, b, buffer(a), a);
        total = data[b];
    } else if (strcmp(method, "turn") == 0) {
        unsigned char *data = buffer(a);
        code = faults_turn(handle, data, a);
        total = data[a - 1];
    } else if (strcmp(method, "recurse") == 0) {
        code = faults_recurse(handle, a);
    } else if (strcmp(method, "overflow") == 0) {
        code = faults_overflow(handle, a);
    } else {
        code = faults_crash(handle, text);
    }
    printf("0x%x %d\n", (unsigned)code, (int)total);
    return code != 0;
}

int main(int argc, char **argv)
{
    struct remote_rpc_control_unsigned_module module = {.domain = CDSP_DOMAIN_ID, .enable = 1};
    remote_handle64 handle;
    if (argc < 2 ||
        remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &module, sizeof module) != 0 ||
        faults_open(faults_URI CDSP_DOMAIN, &handle) != 0) {
        return 2;
    }
    int failed = call(handle, argv + 1);
    faults_close(handle);
    sleep(getenv("SECONDS") == NULL ? 0 : (unsigned)atoi(getenv("SECONDS")));
    return getenv("STATUS") == NULL ? failed : atoi(getenv("STATUS"));
}
