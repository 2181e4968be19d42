/* requests.c: control requests and memory. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client.h"

static uint64_t handle_of(const char *name)
{
    return (uint64_t)(uintptr_t)recall(name);
}

/* ---- capabilities and sessions ---- */

int do_info(char **words, char *more)
{
    struct remote_dsp_capability asked = {(uint32_t)atoi(words[1]), (uint32_t)atoi(words[2]), 0};
    int code = remote_handle_control(DSPRPC_GET_DSP_INFO, &asked, sizeof asked);
    snprintf(more, 256, "%x", asked.capability);
    return code;
}

int do_control(char **words, char *more)
{
    struct remote_rpc_control_latency asked = {RPC_PM_QOS, 100};
    (void)more;
    return remote_handle64_control(handle_of(words[1]), (uint32_t)atoi(words[2]), &asked,
                                   sizeof asked);
}

int do_domain_of(char **words, char *more)
{
    remote_rpc_get_domain_t asked = {-7};
    int code = remote_handle64_control(handle_of(words[1]), DSPRPC_GET_DOMAIN, &asked,
                                       sizeof asked);
    snprintf(more, 256, "%d", asked.domain);
    return code;
}

int do_domains(char **words, char *more)
{
    fastrpc_domain found[4];
    system_req_payload asked = {.id = FASTRPC_GET_DOMAINS};
    (void)words;
    asked.sys.flags = DOMAINS_LIST_FLAGS_SET_TYPE(0u, FASTRPC_NSP);
    int code = remote_system_request(&asked);
    asked.sys.domains = found;
    asked.sys.max_domains = 4;
    code = code == 0 ? remote_system_request(&asked) : code;
    snprintf(more, 256, "%d %d %s %d %d", asked.sys.num_domains, found[0].id, found[0].name,
             found[0].status, found[0].instance_id);
    return code;
}

int do_reserve(char **words, char *more)
{
    remote_rpc_reserve_new_session_t asked = {.domain_name = "cdsp",
                                              .domain_name_len = 4,
                                              .session_name = words[1],
                                              .session_name_len = (uint32_t)strlen(words[1])};
    int code = remote_session_control(FASTRPC_RESERVE_NEW_SESSION, &asked, sizeof asked);
    snprintf(more, 256, "%u %u", asked.session_id, asked.effective_domain_id);
    return code;
}

int do_effective(char **words, char *more)
{
    remote_rpc_effective_domain_id_t asked = {
        .domain_name = "cdsp", .domain_name_len = 4, .session_id = (uint32_t)atoi(words[1])};
    int code = remote_session_control(FASTRPC_GET_EFFECTIVE_DOMAIN_ID, &asked, sizeof asked);
    snprintf(more, 256, "%u", asked.effective_domain_id);
    return code;
}

int do_geturi(char **words, char *more)
{
    char uri[128] = "";
    remote_rpc_get_uri_t asked = {.domain_name = "cdsp",
                                  .domain_name_len = 4,
                                  .session_id = 1,
                                  .module_uri = words[1],
                                  .module_uri_len = (uint32_t)strlen(words[1]),
                                  .uri = uri,
                                  .uri_len = (uint32_t)atoi(words[2])};
    int code = remote_session_control(FASTRPC_GET_URI, &asked, sizeof asked);
    snprintf(more, 256, "%s", uri);
    return code;
}

int do_end(char **words, char *more)
{
    struct remote_rpc_session_close asked = {atoi(words[1])};
    (void)more;
    return remote_session_control(FASTRPC_SESSION_CLOSE, &asked, sizeof asked);
}

int do_kill_dsp(char **words, char *more)
{
    struct remote_rpc_process_clean_params asked = {atoi(words[1])};
    (void)more;
    return remote_session_control(FASTRPC_REMOTE_PROCESS_KILL, &asked, sizeof asked);
}

int do_exception(char **words, char *more)
{
    remote_rpc_process_exception asked = {atoi(words[1])};
    (void)more;
    return remote_session_control(FASTRPC_REMOTE_PROCESS_EXCEPTION, &asked, sizeof asked);
}

int do_type(char **words, char *more)
{
    struct remote_process_type asked = {atoi(words[1]), -1};
    int code = remote_session_control(FASTRPC_REMOTE_PROCESS_TYPE, &asked, sizeof asked);
    snprintf(more, 256, "%d", asked.process_type);
    return code;
}

static int tell(void *context, int domain, int session, remote_rpc_status_flags_t status)
{
    printf("notified %s %d %d %d\n", (const char *)context, domain, session, (int)status);
    return 0;
}

int do_notify(char **words, char *more)
{
    static char context[] = "me";
    remote_rpc_notif_register_t asked = {context, atoi(words[1]), tell};
    (void)more;
    return remote_session_control(FASTRPC_REGISTER_STATUS_NOTIFICATIONS, &asked, sizeof asked);
}

int do_stack(char **words, char *more)
{
    struct remote_rpc_thread_params asked = {-1, -1, atoi(words[1])};
    (void)more;
    return remote_session_control(FASTRPC_THREAD_PARAMS, &asked, sizeof asked);
}

/* ---- memory ---- */

int do_alloc(char **words, char *more)
{
    void *buffer = rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, atoi(words[2]));
    (void)more;
    remember(words[1], buffer);
    return buffer == NULL ? AEE_ENORPCMEMORY : 0;
}

int do_alloc2(char **words, char *more)
{
    void *buffer = rpcmem_alloc2(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS,
                                 (size_t)strtoull(words[2], NULL, 0));
    (void)more;
    remember(words[1], buffer);
    return buffer == NULL ? AEE_ENORPCMEMORY : 0;
}

int do_tofd(char **words, char *more)
{
    int local;
    (void)more;
    int known = rpcmem_to_fd(recall(words[1])) > 2;
    return known && rpcmem_to_fd(&local) == -1 && rpcmem_to_fd(NULL) == -1 ? 0 : 1;
}

int do_release(char **words, char *more)
{
    (void)more;
    rpcmem_free(recall(words[1]));
    return 0;
}

/* fill NAME VALUE: its first 16 bytes */
int do_fill(char **words, char *more)
{
    (void)more;
    memset(recall(words[1]), atoi(words[2]), 16);
    return 0;
}

int do_peek(char **words, char *more)
{
    snprintf(more, 256, "%d", *(int *)recall(words[1]));
    return 0;
}

int do_map(char **words, char *more)
{
    void *buffer = recall(words[1]);
    (void)more;
    return fastrpc_mmap(CDSP_DOMAIN_ID, rpcmem_to_fd(buffer), buffer, 0, 4096,
                        (enum fastrpc_map_flags)atoi(words[2]));
}

int do_unmap(char **words, char *more)
{
    void *buffer = recall(words[1]);
    (void)more;
    return fastrpc_munmap(CDSP_DOMAIN_ID, rpcmem_to_fd(buffer), buffer, 4096);
}

int do_memmap(char **words, char *more)
{
    void *buffer = recall(words[1]);
    uint64_t remote = 0;
    int code = remote_mem_map(CDSP_DOMAIN_ID, rpcmem_to_fd(buffer), REMOTE_MAP_MEM_STATIC,
                              (uint64_t)(uintptr_t)buffer, 4096, &remote);
    snprintf(more, 256, "%s", remote == 0 ? "nowhere" : "somewhere");
    return code == 0 ? remote_mem_unmap(CDSP_DOMAIN_ID, remote, 4096) : code;
}

int do_old_mmap(char **words, char *more)
{
    uint64_t remote = 0;
    (void)words;
    int code = remote_mmap64(-1, 0, 0, 65536, &remote);
    snprintf(more, 256, "%s", remote == 0 ? "nowhere" : "somewhere");
    code = code == 0 ? remote_munmap64(remote, 65536) : code;
    return code == 0 && remote_munmap64(remote, 65536) == 0 ? 1 : code;
}

/* byfd NAME BUFFER MAPPED: method 7 with the buffer's descriptor */
int do_byfd(char **words, char *more)
{
    int in[3] = {rpcmem_to_fd(recall(words[2])), atoi(words[3]), 0};
    int out = 0;
    remote_arg arguments[2] = {{.buf = {in, sizeof in}}, {.buf = {&out, sizeof out}}};
    int code = remote_handle64_invoke(handle_of(words[1]), REMOTE_SCALARS_MAKE(7, 1, 1), arguments);
    snprintf(more, 256, "%d", out);
    return code;
}

/* dma NAME BUFFER OFFSET: method 8 with a dma handle */
int do_dma(char **words, char *more)
{
    int out = 0;
    remote_arg arguments[2];
    memset(arguments, 0, sizeof arguments);
    arguments[0].buf.pv = &out;
    arguments[0].buf.nLen = sizeof out;
    arguments[1].dma.fd = rpcmem_to_fd(recall(words[2]));
    arguments[1].dma.offset = (uint32_t)atoi(words[3]);
    int code = remote_handle64_invoke(handle_of(words[1]), REMOTE_SCALARS_MAKEX(0, 8, 0, 1, 1, 0),
                                      arguments);
    snprintf(more, 256, "%d", out);
    return code;
}

/* change NAME heap|BUFFER: method 15, and what the client sees afterwards. */
int do_change(char **words, char *more)
{
    int local = 5;
    int *in = strcmp(words[2], "heap") == 0 ? &local : recall(words[2]);
    remote_arg arguments[1] = {{.buf = {in, sizeof *in}}};
    int code = remote_handle64_invoke(handle_of(words[1]), REMOTE_SCALARS_MAKE(15, 1, 0),
                                      arguments);
    snprintf(more, 256, "%d", *in);
    return code;
}

/* A buffer of the client, registered and unregistered. */
int do_registered(char **words, char *more)
{
    int fd = memfd_create("mine", 0);
    if (ftruncate(fd, 8192) != 0) {
        return 1;
    }
    int *buffer = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    remote_register_buf(buffer, 8192, fd);
    buffer[100] = 5;
    remote_arg arguments[1] = {{.buf = {buffer + 100, 4}}};
    int code = remote_handle64_invoke(handle_of(words[1]), REMOTE_SCALARS_MAKE(15, 1, 0),
                                      arguments);
    int shared = buffer[100];
    remote_register_buf(buffer, 8192, -1);
    buffer[100] = 5;
    code = code == 0 ? remote_handle64_invoke(handle_of(words[1]), REMOTE_SCALARS_MAKE(15, 1, 0),
                                              arguments)
                     : code;
    snprintf(more, 256, "%d, then %d", shared, buffer[100]);
    return code;
}

/* An address that stands for a descriptor: the DSP reads memory that the client cannot. */
int do_registered_fd(char **words, char *more)
{
    int fd = memfd_create("mine", 0);
    int values[2] = {11, 12};
    int out[2] = {0};
    if (ftruncate(fd, 4096) != 0 || pwrite(fd, values, sizeof values, 0) != sizeof values) {
        return 1;
    }
    void *stands = remote_register_fd(fd, 4096);
    remote_arg arguments[2] = {{.buf = {stands, sizeof values}}, {.buf = {out, sizeof out}}};
    int code = remote_handle64_invoke(handle_of(words[1]), REMOTE_SCALARS_MAKE(2, 1, 1), arguments);
    snprintf(more, 256, "%d %d", out[0], out[1]);
    remote_register_buf(stands, 4096, -1);
    return code;
}
