// blend [--matrix]: calls the kernels on the DSP and verifies them.
#include <AEEStdErr.h>
#include <dspqueue.h>
#include <remote.h>
#include <rpcmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../dsp/blend_msg.h"
#include "blend_iface.h"

#define COUNT 4096
#define BYTES (COUNT * 4)

domain *find_domain(int id);
void describe(void);

static int32_t *buffer[3];
static int fd[3];
static dspqueue_t queue;

static uint32_t capability(uint32_t attribute) {
    struct remote_dsp_capability asked = {CDSP_DOMAIN_ID, attribute, 0};
    return remote_handle_control(DSPRPC_GET_DSP_INFO, &asked, sizeof asked) ? 0 : asked.capability;
}

static int call(uint32_t op, int32_t weight, struct blend_response *response) {
    struct blend_request request = {op, COUNT, weight};
    struct dspqueue_buffer references[3];
    memset(references, 0, sizeof references);
    for (int i = 0; i < 3; i++) {
        references[i].fd = (uint32_t) fd[i];
        references[i].size = BYTES;
        references[i].flags = DSPQUEUE_BUFFER_FLAG_FLUSH_SENDER | DSPQUEUE_BUFFER_FLAG_INVALIDATE_RECIPIENT;
    }
    int error = dspqueue_write(queue, 0, 3, references, sizeof request, (uint8_t *) &request, 5000000);
    if (error)
        return error;
    uint32_t flags, count, length;
    return dspqueue_read(queue, &flags, 3, &count, references, sizeof *response, &length,
                         (uint8_t *) response, 5000000);
}

int main(int argc, char **argv) {
    int force_matrix = argc > 1 && !strcmp(argv[1], "--matrix");
    struct remote_rpc_control_unsigned_module unsigned_session = {CDSP_DOMAIN_ID, 1};
    remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &unsigned_session, sizeof unsigned_session);
    describe();
    uint32_t arch = capability(ARCH_VER) & 0xff;
    uint32_t matrix = force_matrix || capability(HMX_SUPPORT_DEPTH) != 0;

    char uri[256];
    snprintf(uri, sizeof uri, "file:///libblend-v%x.so?blend_iface_skel_handle_invoke&_modver=1.0%s",
             arch, find_domain(CDSP_DOMAIN_ID)->uri);
    remote_handle64 handle;
    int error = blend_iface_open(uri, &handle);
    if (error) {
        printf("open %s: 0x%08x\n", uri, (unsigned) error);
        return 1;
    }
    for (int i = 0; i < 3; i++) {
        buffer[i] = rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, BYTES);
        fd[i] = rpcmem_to_fd(buffer[i]);
        error |= fastrpc_mmap(CDSP_DOMAIN_ID, fd[i], buffer[i], 0, BYTES, FASTRPC_MAP_FD);
    }
    for (int i = 0; i < COUNT; i++) {
        buffer[0][i] = i * 7 - 9000;
        buffer[1][i] = 5 * i - 4000;
    }
    uint64_t id;
    error |= dspqueue_create(CDSP_DOMAIN_ID, 0, 4096, 4096, NULL, NULL, NULL, &queue);
    error |= dspqueue_export(queue, &id);
    error |= blend_iface_start(handle, id, 4, matrix);
    printf("start: 0x%08x\n", (unsigned) error);
    if (error)
        return 1;

    struct blend_response response = {0};
    unsigned wrong = 0;
    error = call(BLEND_MIX, 3, &response);
    for (int i = 0; i < COUNT; i++)
        wrong += buffer[2][i] != buffer[0][i] + 3 * buffer[1][i];
    printf("mix: 0x%08x, v%u, %u threads, %u wrong\n", (unsigned) (error | response.status),
           response.arch, response.threads, wrong);
    wrong = 0;
    error = call(BLEND_SCALE, -11, &response);
    for (int i = 0; i < COUNT; i++)
        wrong += buffer[2][i] != buffer[0][i] * -11;
    printf("scale: 0x%08x, %u wrong\n", (unsigned) (error | response.status), wrong);
    error = call(BLEND_COUNTERS, 0, &response);
    printf("counters: 0x%08x\n", (unsigned) (error | response.status));
    fflush(stdout);
    if (matrix) {
        error = call(BLEND_MATRIX, 0, &response);
        printf("matrix: 0x%08x, 0x%04x\n", (unsigned) (error | response.status), (unsigned) buffer[2][0]);
        if (error)
            return 2;
    } else {
        puts("matrix: not on this DSP");
    }

    uint32_t packets, vtcm;
    uint64 microseconds;
    error = blend_iface_stop(handle, &packets, &vtcm, &microseconds);
    printf("stop: 0x%08x, %u packets, %u bytes of VTCM\n", (unsigned) error, packets, vtcm);
    error |= dspqueue_close(queue);
    for (int i = 0; i < 3; i++) {
        error |= fastrpc_munmap(CDSP_DOMAIN_ID, fd[i], buffer[i], BYTES);
        rpcmem_free(buffer[i]);
    }
    error |= blend_iface_close(handle);
    return error != 0;
}
