/* remote.h: the interface of libcdsprpc, for stubs, skels and clients.
 *
 * The names, numbers and layouts are those of the open-source libcdsprpc (quic/fastrpc,
 * inc/remote.h). remote_system_request is declared as in clients of newer libraries. */
#ifndef REMOTE_H
#define REMOTE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Generated code and clients can redefine these to decorate the functions. */
#ifndef __QAIC_REMOTE
#define __QAIC_REMOTE(ff) ff
#endif
#ifndef __QAIC_REMOTE_EXPORT
#define __QAIC_REMOTE_EXPORT
#endif
#ifndef __QAIC_RETURN
#define __QAIC_RETURN
#endif
#ifndef __QAIC_IN
#define __QAIC_IN
#endif
#ifndef __QAIC_IN_CHAR
#define __QAIC_IN_CHAR
#endif
#ifndef __QAIC_IN_LEN
#define __QAIC_IN_LEN(len)
#endif
#ifndef __QAIC_OUT
#define __QAIC_OUT
#endif
#ifndef __QAIC_INT64PTR
#define __QAIC_INT64PTR uint64_t
#endif
#ifndef __QAIC_REMOTE_ATTRIBUTE
#define __QAIC_REMOTE_ATTRIBUTE
#endif

/* ---- scalars: which method, and how many arguments of each kind ---- */

#define REMOTE_SCALARS_METHOD_ATTR(sc) (((sc) >> 29) & 0x7)
#define REMOTE_SCALARS_METHOD(sc) (((sc) >> 24) & 0x1f)
#define REMOTE_SCALARS_INBUFS(sc) (((sc) >> 16) & 0x0ff)
#define REMOTE_SCALARS_OUTBUFS(sc) (((sc) >> 8) & 0x0ff)
#define REMOTE_SCALARS_INHANDLES(sc) (((sc) >> 4) & 0x0f)
#define REMOTE_SCALARS_OUTHANDLES(sc) ((sc) & 0x0f)

#define REMOTE_SCALARS_MAKEX(nAttr, nMethod, nIn, nOut, noIn, noOut)              \
    ((((uint32_t)(nAttr) & 0x7u) << 29) | (((uint32_t)(nMethod) & 0x1fu) << 24) | \
     (((uint32_t)(nIn) & 0xffu) << 16) | (((uint32_t)(nOut) & 0xffu) << 8) |      \
     (((uint32_t)(noIn) & 0x0fu) << 4) | ((uint32_t)(noOut) & 0x0fu))

#define REMOTE_SCALARS_MAKE(nMethod, nIn, nOut) REMOTE_SCALARS_MAKEX(0, nMethod, nIn, nOut, 0, 0)

#define REMOTE_SCALARS_LENGTH(sc)                                                            \
    (REMOTE_SCALARS_INBUFS(sc) + REMOTE_SCALARS_OUTBUFS(sc) + REMOTE_SCALARS_INHANDLES(sc) + \
     REMOTE_SCALARS_OUTHANDLES(sc))

/* ---- domains ---- */

#define ADSP_DOMAIN_ID 0
#define MDSP_DOMAIN_ID 1
#define SDSP_DOMAIN_ID 2
#define CDSP_DOMAIN_ID 3
#define CDSP1_DOMAIN_ID 4

#define ADSP_DOMAIN_NAME "adsp"
#define MDSP_DOMAIN_NAME "mdsp"
#define SDSP_DOMAIN_NAME "sdsp"
#define CDSP_DOMAIN_NAME "cdsp"
#define CDSP1_DOMAIN_NAME "cdsp1"
#define GDSP0_DOMAIN_NAME "gdsp0"
#define GDSP1_DOMAIN_NAME "gdsp1"

/* Suffixes for a stub's X_URI. */
#define ADSP_DOMAIN "&_dom=adsp"
#define MDSP_DOMAIN "&_dom=mdsp"
#define SDSP_DOMAIN "&_dom=sdsp"
#define CDSP_DOMAIN "&_dom=cdsp"
#define CDSP1_DOMAIN "&_dom=cdsp1"
#define GDSP0_DOMAIN "&_dom=gdsp0"
#define GDSP1_DOMAIN "&_dom=gdsp1"

#define ITRANSPORT_PREFIX "'\":;./\\"

#define MAX_DOMAIN_URI_SIZE 12

typedef struct domain {
    int id;
    char uri[MAX_DOMAIN_URI_SIZE];
} domain_t;
typedef struct domain domain; /* both names are in use */

/* ---- arguments ---- */

typedef uint32_t remote_handle;
typedef uint64_t remote_handle64;

typedef struct {
    void *pv;
    size_t nLen; /* bytes */
} remote_buf;

typedef struct {
    uint64_t pv;
    int64_t nLen; /* bytes */
} remote_buf64;

typedef struct {
    int32_t fd;
    uint32_t offset; /* bytes */
} remote_dma_handle;

typedef struct {
    int32_t fd;
    uint32_t offset; /* bytes */
    uint32_t len;    /* bytes */
} remote_dma_handle64;

/* 16 bytes on AArch64, 8 on Hexagon. */
typedef union {
    remote_buf buf;
    remote_handle h;
    remote_handle64 h64;
    remote_dma_handle dma;
} remote_arg;

typedef union {
    remote_buf64 buf;
    remote_handle h;
    remote_handle64 h64;
    remote_dma_handle64 dma;
} remote_arg64;

/* ---- asynchronous calls ---- */

enum fastrpc_async_notify_type {
    FASTRPC_ASYNC_NO_SYNC,  /* no notification */
    FASTRPC_ASYNC_CALLBACK, /* call fastrpc_async_callback.fn when done */
    FASTRPC_ASYNC_POLL      /* the client polls with fastrpc_async_get_status */
};

typedef uint64_t fastrpc_async_jobid;

typedef struct fastrpc_async_callback {
    void (*fn)(fastrpc_async_jobid jobid, void *context, int result);
    void *context;
} fastrpc_async_callback_t;

typedef struct fastrpc_async_descriptor {
    enum fastrpc_async_notify_type type;
    fastrpc_async_jobid jobid; /* filled in by the call */
    fastrpc_async_callback_t cb;
} fastrpc_async_descriptor_t;

/* ---- remote_handle_control, remote_handle64_control ---- */

enum handle_control_req_id {
    DSPRPC_RESERVED,
    DSPRPC_CONTROL_LATENCY,  /* struct remote_rpc_control_latency */
    DSPRPC_GET_DSP_INFO,     /* struct remote_dsp_capability */
    DSPRPC_CONTROL_WAKELOCK, /* struct remote_rpc_control_wakelock */
    DSPRPC_GET_DOMAIN,       /* struct remote_rpc_get_domain */
    DSPRPC_SET_PATH,         /* struct remote_control_custom_path */
    DSPRPC_GET_PATH,         /* struct remote_control_custom_path */
    DSPRPC_SMMU_SUPPORT,
    DSPRPC_KALLOC_SUPPORT,
    DSPRPC_PM,
    DSPRPC_RPC_POLL,
    DSPRPC_ASYNC_WAKE,
    DSPRPC_NOTIF_WAKE,
    DSPRPC_REMOTE_PROCESS_KILL,
    DSPRPC_SET_MODE
};

enum remote_rpc_latency_flags {
    RPC_DISABLE_QOS,
    RPC_PM_QOS,       /* keep the CPU out of deep sleep */
    RPC_ADAPTIVE_QOS, /* wake the CPU when the call is about to end */
    RPC_POLL_QOS      /* poll for the reply */
};

struct remote_rpc_control_latency {
    uint32_t enable;  /* enum remote_rpc_latency_flags */
    uint32_t latency; /* microseconds */
};

#define FASTRPC_WAKELOCK_CONTROL_SUPPORTED 1

struct remote_rpc_control_wakelock {
    uint32_t enable;
};

typedef struct remote_dsp_capability {
    uint32_t domain;       /* in */
    uint32_t attribute_ID; /* in: enum remote_dsp_attributes */
    uint32_t capability;   /* out */
} fastrpc_capability;

enum remote_dsp_attributes {
    DOMAIN_SUPPORT,      /* 1 if the device has the DSP */
    UNSIGNED_PD_SUPPORT, /* 1 if unsigned modules can run */
    HVX_SUPPORT_64B,     /* vector units of 64 bytes */
    HVX_SUPPORT_128B,    /* vector units of 128 bytes */
    VTCM_PAGE,           /* bytes of the largest VTCM page */
    VTCM_COUNT,          /* pages of that size */
    ARCH_VER,            /* low byte: the arch in hex, 0x73 for v73 */
    HMX_SUPPORT_DEPTH,   /* 0 if there is no matrix unit or it is fused off */
    HMX_SUPPORT_SPATIAL,
    ASYNC_FASTRPC_SUPPORT,
    STATUS_NOTIFICATION_SUPPORT,
    MCID_MULTICAST
};

typedef struct remote_rpc_get_domain {
    int domain; /* out */
} remote_rpc_get_domain_t;

struct remote_control_custom_path {
    int32_t value_size; /* bytes, including the terminator */
    const char *path;   /* the key */
    char *value;        /* the value of the key */
};

/* ---- remote_session_control ---- */

enum session_control_req_id {
    FASTRPC_RESERVED_1,
    FASTRPC_THREAD_PARAMS,          /* struct remote_rpc_thread_params */
    DSPRPC_CONTROL_UNSIGNED_MODULE, /* struct remote_rpc_control_unsigned_module */
    FASTRPC_RESERVED_2,
    FASTRPC_RELATIVE_THREAD_PRIORITY, /* struct remote_rpc_relative_thread_priority */
    FASTRPC_RESERVED_3,
    FASTRPC_REMOTE_PROCESS_KILL,           /* struct remote_rpc_process_clean_params */
    FASTRPC_SESSION_CLOSE,                 /* struct remote_rpc_session_close */
    FASTRPC_CONTROL_PD_DUMP,               /* struct remote_rpc_control_pd_dump */
    FASTRPC_REMOTE_PROCESS_EXCEPTION,      /* remote_rpc_process_exception */
    FASTRPC_REMOTE_PROCESS_TYPE,           /* struct remote_process_type */
    FASTRPC_REGISTER_STATUS_NOTIFICATIONS, /* struct remote_rpc_notif_register */
    FASTRPC_PD_INITMEM_SIZE,               /* struct remote_rpc_pd_initmem_size */
    FASTRPC_RESERVE_NEW_SESSION,           /* struct remote_rpc_reserve_new_session */
    FASTRPC_GET_EFFECTIVE_DOMAIN_ID,       /* struct remote_rpc_effective_domain_id */
    FASTRPC_GET_URI,                       /* struct remote_rpc_get_uri */
    FASTRPC_MAX_THREAD_PARAM,
    FASTRPC_CONTEXT_CREATE, /* struct fastrpc_context_create */
    FASTRPC_CONTEXT_DESTROY /* struct fastrpc_context_destroy */
};

/* In all of these structures, a domain of -1 means every domain. */

struct remote_rpc_thread_params {
    int domain;
    int prio;       /* 1 (highest) to 255, -1 for the default */
    int stack_size; /* bytes, -1 for the default */
};

/* Must be requested before the first open of the domain. */
struct remote_rpc_control_unsigned_module {
    int domain;
    int enable;
};

struct remote_rpc_relative_thread_priority {
    int domain;
    int relative_thread_priority; /* negative: higher priority */
};

struct remote_rpc_process_clean_params {
    int domain;
};

struct remote_rpc_session_close {
    int domain;
};

struct remote_rpc_control_pd_dump {
    int domain;
    int enable;
};

typedef struct remote_rpc_process_clean_params remote_rpc_process_exception;

enum fastrpc_process_type { PROCESS_TYPE_SIGNED, PROCESS_TYPE_UNSIGNED };

struct remote_process_type {
    int domain;       /* in */
    int process_type; /* out: enum fastrpc_process_type */
};

typedef enum remote_rpc_status_flags {
    FASTRPC_USER_PD_UP,
    FASTRPC_USER_PD_EXIT,
    FASTRPC_USER_PD_FORCE_KILL,
    FASTRPC_USER_PD_EXCEPTION,
    FASTRPC_DSP_SSR
} remote_rpc_status_flags_t;

typedef int (*fastrpc_notif_fn_t)(void *context, int domain, int session,
                                  remote_rpc_status_flags_t status);

typedef struct remote_rpc_notif_register {
    void *context;
    int domain;
    fastrpc_notif_fn_t notifier_fn;
} remote_rpc_notif_register_t;

struct remote_rpc_pd_initmem_size {
    int domain;
    uint32_t pd_initmem_size; /* bytes; signed processes only */
};

/* In these structures, names have explicit lengths and need no terminator. */

typedef struct remote_rpc_reserve_new_session {
    char *domain_name;            /* in */
    uint32_t domain_name_len;     /* in */
    char *session_name;           /* in */
    uint32_t session_name_len;    /* in */
    uint32_t effective_domain_id; /* out: replaces a domain id */
    uint32_t session_id;          /* out: 1 or more; 0 is the default session */
} remote_rpc_reserve_new_session_t;

typedef struct remote_rpc_effective_domain_id {
    char *domain_name;            /* in */
    uint32_t domain_name_len;     /* in */
    uint32_t session_id;          /* in */
    uint32_t effective_domain_id; /* out */
} remote_rpc_effective_domain_id_t;

typedef struct remote_rpc_get_uri {
    char *domain_name;        /* in */
    uint32_t domain_name_len; /* in */
    uint32_t session_id;      /* in */
    char *module_uri;         /* in */
    uint32_t module_uri_len;  /* in */
    char *uri;                /* out: module_uri_len + 30 bytes are enough */
    uint32_t uri_len;         /* in: size of `uri` in bytes */
} remote_rpc_get_uri_t;

typedef struct fastrpc_context_create {
    uint32_t *effec_domain_ids; /* in */
    uint32_t num_domain_ids;    /* in */
    uint64_t flags;             /* in, unused */
    uint64_t ctx;               /* out */
} fastrpc_context_create;

typedef struct fastrpc_context_destroy {
    uint64_t ctx;   /* in */
    uint64_t flags; /* in, unused */
} fastrpc_context_destroy;

/* ---- remote_system_request (older libraries lack it: use a weak reference) ---- */

#ifndef MAX_DOMAIN_NAMELEN
#define MAX_DOMAIN_NAMELEN 30
#endif

typedef enum {
    FASTRPC_ALL_DOMAINS,
    FASTRPC_NSP, /* compute */
    FASTRPC_LPASS,
    FASTRPC_SDSP,
    FASTRPC_MODEM,
    FASTRPC_HPASS,
    /* The same values with their older names. */
    ALL_DOMAINS = FASTRPC_ALL_DOMAINS,
    NSP = FASTRPC_NSP,
    LPASS = FASTRPC_LPASS,
    SDSP = FASTRPC_SDSP,
    MODEM = FASTRPC_MODEM,
    HPASS = FASTRPC_HPASS
} fastrpc_domain_type;

/* The layout of SDK 6.6. Older ones have neither instance_id nor reserved. */
typedef struct {
    int id;
    int instance_id;               /* 0 for the first DSP of its type */
    char name[MAX_DOMAIN_NAMELEN]; /* for _dom= */
    fastrpc_domain_type type;
    int status; /* 0 when the DSP is down */
    uint32_t card;
    uint32_t soc_id;
    uint32_t reserved[10];
} fastrpc_domain;

#define DOMAINS_LIST_FLAGS_TYPE_POS 5
#define DOMAINS_LIST_FLAGS_SET_TYPE(flags, type)                                \
    ((flags) | ((uint64_t)(type) & ((1u << DOMAINS_LIST_FLAGS_TYPE_POS) - 1u)))

/* Clients make two requests: the first with domains NULL, to get num_domains, and the second with
 * an array of that size. */
typedef struct {
    fastrpc_domain *domains; /* in: array of max_domains elements, or NULL */
    int max_domains;         /* in */
    int num_domains;         /* out */
    uint64_t flags;          /* in: bits 0 to 4 are a fastrpc_domain_type */
} fastrpc_domains_info;

typedef enum { FASTRPC_GET_DOMAINS = 0 } system_req_id;

typedef struct system_req_payload {
    system_req_id id;
    union {
        fastrpc_domains_info sys;
    };
} system_req_payload;

/* ---- mapping ---- */

enum remote_mem_map_flags { REMOTE_MAP_MEM_STATIC };

enum fastrpc_map_flags {
    FASTRPC_MAP_STATIC, /* for calls only; HAP_mmap_get does not find it */
    FASTRPC_MAP_RESERVED,
    FASTRPC_MAP_FD,         /* found by HAP_mmap_get under its descriptor */
    FASTRPC_MAP_FD_DELAYED, /* mapped when the DSP side calls HAP_mmap */
    FASTRPC_MAP_RESERVED_4,
    FASTRPC_MAP_RESERVED_5,
    FASTRPC_MAP_RESERVED_6,
    FASTRPC_MAP_RESERVED_7,
    FASTRPC_MAP_RESERVED_8,
    FASTRPC_MAP_RESERVED_9,
    FASTRPC_MAP_RESERVED_10,
    FASTRPC_MAP_RESERVED_11,
    FASTRPC_MAP_RESERVED_12,
    FASTRPC_MAP_RESERVED_13,
    FASTRPC_MAP_RESERVED_14,
    FASTRPC_MAP_RESERVED_15,
    FASTRPC_MAP_FD_NOMAP, /* like FD_DELAYED, without a mapping on the ARM side */
    /* As FD and FD_DELAYED, beyond the 32-bit addresses of the DSP. */
    FASTRPC_MAP_FD_EXTENDED,
    FASTRPC_MAP_FD_DELAYED_EXTENDED
};

/* Attributes of remote_register_buf_attr and remote_register_dma_handle_attr. */
#define FASTRPC_ATTR_NONE 0
#define FASTRPC_ATTR_NON_COHERENT 2
#define FASTRPC_ATTR_COHERENT 4
#define FASTRPC_ATTR_KEEP_MAP 8
#define FASTRPC_ATTR_NOMAP 16
#define FASTRPC_ATTR_FORCE_NOFLUSH 32
#define FASTRPC_ATTR_FORCE_NOINVALIDATE 64
#define FASTRPC_ATTR_TRY_MAP_STATIC 128

/* Modes of remote_set_mode. */
#define REMOTE_MODE_PARALLEL 0
#define REMOTE_MODE_SERIAL 1

/* ---- functions; each int result is 0 or a code of AEEStdErr.h ---- */

/* name: file:///libX_skel.so?X_skel_handle_invoke&_modver=1.0&_dom=cdsp. The 64-bit form needs
 * _dom. The 32-bit form always opens on the library's own domain. */
int __QAIC_REMOTE(remote_handle_open)(const char *name, remote_handle *ph);
int __QAIC_REMOTE(remote_handle64_open)(const char *name, remote_handle64 *ph);

/* pra: the in buffers, out buffers, in handles and out handles. dwScalars has their numbers. */
int __QAIC_REMOTE(remote_handle_invoke)(remote_handle h, uint32_t dwScalars, remote_arg *pra);
int __QAIC_REMOTE(remote_handle64_invoke)(remote_handle64 h, uint32_t dwScalars, remote_arg *pra);

int __QAIC_REMOTE(remote_handle_close)(remote_handle h);
int __QAIC_REMOTE(remote_handle64_close)(remote_handle64 h);

/* req: enum handle_control_req_id; data: the structure named there. */
int __QAIC_REMOTE(remote_handle_control)(uint32_t req, void *data, uint32_t datalen);
int __QAIC_REMOTE(remote_handle64_control)(remote_handle64 h, uint32_t req, void *data,
                                           uint32_t datalen);

/* req: enum session_control_req_id; data: the structure named there. */
int __QAIC_REMOTE(remote_session_control)(uint32_t req, void *data, uint32_t datalen);

int __QAIC_REMOTE(remote_system_request)(system_req_payload *req);

int __QAIC_REMOTE(remote_handle_invoke_async)(remote_handle h, fastrpc_async_descriptor_t *desc,
                                              uint32_t dwScalars, remote_arg *pra);
int __QAIC_REMOTE(remote_handle64_invoke_async)(remote_handle64 h, fastrpc_async_descriptor_t *desc,
                                                uint32_t dwScalars, remote_arg *pra);

/* Gets the status of a job. Waits until it is done, up to `timeout_us`, or without a limit if that
 * is negative. Returns AEE_EBUSY if the job is not done. *result is the code of the call. */
int __QAIC_REMOTE(fastrpc_async_get_status)(fastrpc_async_jobid jobid, int timeout_us, int *result);
int __QAIC_REMOTE(fastrpc_release_async_job)(fastrpc_async_jobid jobid);

/* Maps memory that only the DSP uses, or a shared buffer if fd > 0. */
int __QAIC_REMOTE(remote_mmap)(int fd, uint32_t flags, uint32_t vaddrin, int size,
                               uint32_t *vaddrout);
int __QAIC_REMOTE(remote_munmap)(uint32_t vaddrout, int size);
int __QAIC_REMOTE(remote_mmap64)(int fd, uint32_t flags, __QAIC_INT64PTR vaddrin, int64_t size,
                                 __QAIC_INT64PTR *vaddrout);
int __QAIC_REMOTE(remote_munmap64)(__QAIC_INT64PTR vaddrout, int64_t size);

/* flags: enum remote_mem_map_flags. */
int __QAIC_REMOTE(remote_mem_map)(int domain, int fd, int flags, uint64_t virtAddr, size_t size,
                                  uint64_t *remoteVirtAddr);
int __QAIC_REMOTE(remote_mem_unmap)(int domain, uint64_t remoteVirtAddr, size_t size);

/* Maps `length` bytes of `fd` into the DSP process of the domain. Starts the process if there is
 * none. */
int __QAIC_REMOTE(fastrpc_mmap)(int domain, int fd, void *addr, int offset, size_t length,
                                enum fastrpc_map_flags flags);
int __QAIC_REMOTE(fastrpc_munmap)(int domain, int fd, void *addr, size_t length);

/* Registers [buf, buf + size) as a mapping of fd, so that calls pass it without a copy. With fd -1,
 * deregisters it. */
void __QAIC_REMOTE(remote_register_buf)(void *buf, int size, int fd);
void __QAIC_REMOTE(remote_register_buf_attr)(void *buf, int size, int fd, int attr);
void __QAIC_REMOTE(remote_register_buf_attr2)(void *buf, size_t size, int fd, int attr);

int __QAIC_REMOTE(remote_register_dma_handle)(int fd, uint32_t len);
int __QAIC_REMOTE(remote_register_dma_handle_attr)(int fd, uint32_t len, uint32_t attr);

/* Returns an address that represents fd in calls and cannot be accessed, or (void *)-1 on
 * failure. */
void *__QAIC_REMOTE(remote_register_fd)(int fd, int size);
void *__QAIC_REMOTE(remote_register_fd2)(int fd, size_t size);

int __QAIC_REMOTE(remote_set_mode)(uint32_t mode);

#ifdef __cplusplus
}
#endif

#endif
