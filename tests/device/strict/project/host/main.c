/* Calls one method: faults METHOD [WORD] [NUMBER...], and prints the code and the result. With
 * SHARED set the buffers are from rpcmem_alloc. STATUS is the exit status in place of one that says
 * whether the method returned 0, SECONDS how long the program lives after that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faults.h"
#include "remote.h"
#include "rpcmem.h"

static unsigned char *buffer(int size)
{
    unsigned char *bytes = getenv("SHARED") == NULL
                               ? malloc((size_t)size)
                               : rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, size);
    memset(bytes, 1, (size_t)size);
    return bytes;
}

static int call(remote_handle64 handle, char **word)
{
    const char *method = *word++;
    const char *text = word[0] == NULL ? "" : word[0];
    int a = atoi(text), b = word[0] == NULL || word[1] == NULL ? 0 : atoi(word[1]);
    int c = word[0] == NULL || word[1] == NULL || word[2] == NULL ? 0 : atoi(word[2]);
    int32_t total = 0;
    int code = 0;
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
