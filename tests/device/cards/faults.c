/* faults.c: a libcdsprpc in which one thing is wrong; the rest is that of the library it needs. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "AEEStdErr.h"
#include "dspqueue.h"
#include "remote.h"

#define RTLD_NEXT ((void *)-1l)

void *dlsym(void *library, const char *name);
int pause(void);
int usleep(unsigned int microseconds);

#if defined(LEAKS)
int fastrpc_munmap(int domain, int fd, void *address, size_t length)
{
    (void)domain, (void)fd, (void)address, (void)length;
    return 0;
}
#elif defined(QUEUE_NEVER_ANSWERS)
AEEResult dspqueue_read(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers,
                        uint32_t *num_buffers, struct dspqueue_buffer *buffers, uint32_t max_length,
                        uint32_t *length, uint8_t *message, uint32_t timeout)
{
    (void)queue, (void)flags, (void)max_buffers, (void)num_buffers, (void)buffers;
    (void)max_length, (void)length, (void)message, (void)timeout;
    for (;;) {
        pause();
    }
}
#elif defined(CLAIMS_HMX)
int remote_handle_control(uint32_t request, void *data, uint32_t size)
{
    int (*real)(uint32_t, void *, uint32_t);
    *(void **)&real = dlsym(RTLD_NEXT, "remote_handle_control");
    int code = real(request, data, size);
    struct remote_dsp_capability *asked = data;
    if (request == DSPRPC_GET_DSP_INFO && asked->attribute_ID == HMX_SUPPORT_DEPTH) {
        asked->capability = 1;
    }
    return code;
}
#elif defined(ZEROS)
int remote_handle64_invoke(remote_handle64 handle, uint32_t scalars, remote_arg *arguments)
{
    int (*real)(remote_handle64, uint32_t, remote_arg *);
    *(void **)&real = dlsym(RTLD_NEXT, "remote_handle64_invoke");
    int code = real(handle, scalars, arguments);
    remote_buf *result = &arguments[REMOTE_SCALARS_INBUFS(scalars)].buf;
    if (REMOTE_SCALARS_OUTBUFS(scalars) == 1 && result->nLen > 1024) {
        memset(result->pv, 0, result->nLen);
    }
    return code;
}
#elif defined(ONE_LANE_WRONG)
int remote_handle64_invoke(remote_handle64 handle, uint32_t scalars, remote_arg *arguments)
{
    int (*real)(remote_handle64, uint32_t, remote_arg *);
    *(void **)&real = dlsym(RTLD_NEXT, "remote_handle64_invoke");
    int code = real(handle, scalars, arguments);
    remote_buf *result = &arguments[REMOTE_SCALARS_INBUFS(scalars)].buf;
    if (REMOTE_SCALARS_OUTBUFS(scalars) == 1 && result->nLen > 1024) {
        static int calls;
        ((uint8_t *)result->pv)[4094] ^= calls++ % 20 == 13;
    }
    return code;
}
#elif defined(DIRTY_VTCM)
int setenv(const char *name, const char *value, int overwrite);

__attribute__((constructor)) static void fill_memory(void)
{
    setenv("BUILDTOOL_SIM_STRICT", "back", 1);
}
#elif defined(NO_DSP_PROCESS)
int remote_handle64_open(const char *name, remote_handle64 *handle)
{
    (void)name, (void)handle;
    return (int)0x80000416;
}
#endif

/* Those that follow can be in one library. */
#ifdef MAPS_LITTLE
int fastrpc_mmap(int domain, int fd, void *address, int offset, size_t length,
                 enum fastrpc_map_flags flags)
{
    static size_t mapped;
    int (*real)(int, int, void *, int, size_t, enum fastrpc_map_flags);
    *(void **)&real = dlsym(RTLD_NEXT, "fastrpc_mmap");
    mapped += length;
    if (mapped > 64 << 20) {
        mapped -= length;
        return 0x65;
    }
    return real(domain, fd, address, offset, length, flags);
}
#endif
#ifdef QUEUE_IS_SILENT
AEEResult dspqueue_read(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers,
                        uint32_t *num_buffers, struct dspqueue_buffer *buffers, uint32_t max_length,
                        uint32_t *length, uint8_t *message, uint32_t timeout)
{
    (void)queue, (void)flags, (void)max_buffers, (void)num_buffers, (void)buffers;
    (void)max_length, (void)length, (void)message, (void)timeout;
    return AEE_EEXPIRED;
}
#endif
#if defined(OPENS_SLOWLY) || defined(SEARCHES_BACKWARDS)
#define PATH "ADSP_LIBRARY_PATH"
char *getenv(const char *name);
int setenv(const char *name, const char *value, int overwrite);

int remote_handle64_open(const char *name, remote_handle64 *handle)
{
    int (*real)(const char *, remote_handle64 *);
    *(void **)&real = dlsym(RTLD_NEXT, "remote_handle64_open");
#ifdef OPENS_SLOWLY
    usleep(700000);
#endif
#ifdef SEARCHES_BACKWARDS
    /* Once: "a;b;c" becomes "b;a;c". */
    static int turned;
    char path[4096];
    char *first = getenv(PATH), *second = first ? strchr(first, ';') : NULL;
    if (second != NULL && !turned++) {
        size_t length = strcspn(second + 1, ";"), before = (size_t)(second - first);
        memcpy(path, second + 1, length);
        path[length] = ';';
        memcpy(path + length + 1, first, before);
        strcpy(path + length + 1 + before, second + 1 + length);
        setenv(PATH, path, 1);
    }
#endif
    return real(name, handle);
}
#endif
#ifdef DSP_RESTARTS
/* A crash in a process ends the sessions of its siblings and its parent: they see a file. */
int getpid(void);
int getppid(void);
int access(const char *path, int mode);
int creat(const char *path, unsigned int mode);
char *getenv(const char *name);
int snprintf(char *text, size_t room, const char *format, ...);

static const char *mark(int process)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/crashed-%d", getenv("HOME"), process);
    return path;
}

int remote_handle64_invoke(remote_handle64 handle, uint32_t scalars, remote_arg *arguments)
{
    int (*real)(remote_handle64, uint32_t, remote_arg *);
    *(void **)&real = dlsym(RTLD_NEXT, "remote_handle64_invoke");
    if (access(mark(getpid()), 0) == 0) {
        return AEE_ECONNRESET;
    }
    int code = real(handle, scalars, arguments);
    if (code != 0 && REMOTE_SCALARS_INBUFS(scalars) + REMOTE_SCALARS_OUTBUFS(scalars) == 0) {
        creat(mark(getppid()), 0600);
    }
    return code;
}
#endif
