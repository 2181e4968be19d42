/* HAP_compute_res.h: VTCM, HMX and serialization from the compute resource manager.
 *
 * Interface as documented for the Hexagon SDK (Compute resource manager). Every
 * function of the shell is a weak reference: where one is missing, its wrapper
 * says HAP_COMPUTE_RES_NOT_SUPPORTED. */
#ifndef HAP_COMPUTE_RES_H_
#define HAP_COMPUTE_RES_H_

#ifdef __cplusplus
extern "C" {
#endif

#define HAP_COMPUTE_RES_NOT_SUPPORTED 0x80000404
#define HAP_COMPUTE_RES_MAX_NUM_THREADS 16

/* Opaque: filled by the functions below only. */
typedef struct {
    unsigned long long attributes[8];
} compute_res_attr_t;

typedef struct {
    unsigned int page_size; /* bytes */
    unsigned int num_pages;
} compute_res_vtcm_page_def_t;

typedef struct {
    unsigned int block_size;    /* bytes */
    unsigned int page_list_len; /* valid elements of page_list */
    compute_res_vtcm_page_def_t page_list[8];
} compute_res_vtcm_page_t;

typedef enum {
    HAP_COMPUTE_RES_HMX_NON_SHARED = 0,
    HAP_COMPUTE_RES_HMX_SHARED = 1
} compute_res_hmx_type_t;

#define COMPUTE_RES_WEAK __attribute__((weak))
int COMPUTE_RES_WEAK compute_resource_attr_init(compute_res_attr_t *attr);
int COMPUTE_RES_WEAK compute_resource_attr_set_serialize(compute_res_attr_t *attr,
                                                         unsigned char b_enable);
int COMPUTE_RES_WEAK compute_resource_attr_set_hmx_param(compute_res_attr_t *attr,
                                                         unsigned char b_enable);
int COMPUTE_RES_WEAK compute_resource_attr_set_vtcm_param(compute_res_attr_t *attr,
                                                          unsigned int vtcm_size,
                                                          unsigned char b_single_page);
int COMPUTE_RES_WEAK compute_resource_attr_set_vtcm_param_v2(compute_res_attr_t *attr,
                                                             unsigned int vtcm_size,
                                                             unsigned int min_page_size,
                                                             unsigned int min_vtcm_size);
int COMPUTE_RES_WEAK compute_resource_attr_set_app_type(compute_res_attr_t *attr,
                                                        unsigned int application_id);
int COMPUTE_RES_WEAK compute_resource_attr_set_cache_mode(compute_res_attr_t *attr,
                                                          unsigned char b_enable);
int COMPUTE_RES_WEAK compute_resource_attr_set_release_callback(
    compute_res_attr_t *attr,
    int (*release_callback)(unsigned int context_id, void *client_context), void *client_context);
void *COMPUTE_RES_WEAK compute_resource_attr_get_vtcm_ptr(compute_res_attr_t *attr);
int COMPUTE_RES_WEAK compute_resource_attr_get_vtcm_ptr_v2(compute_res_attr_t *attr,
                                                           void **vtcm_ptr,
                                                           unsigned int *vtcm_size);
int COMPUTE_RES_WEAK compute_resource_query_VTCM(unsigned int application_id,
                                                 unsigned int *total_block_size,
                                                 compute_res_vtcm_page_t *total_block_layout,
                                                 unsigned int *avail_block_size,
                                                 compute_res_vtcm_page_t *avail_block_layout);
unsigned int COMPUTE_RES_WEAK compute_resource_acquire(compute_res_attr_t *attr,
                                                       unsigned int timeout_us);
int COMPUTE_RES_WEAK compute_resource_release(unsigned int context_id);
int COMPUTE_RES_WEAK compute_resource_acquire_cached(unsigned int context_id,
                                                     unsigned int timeout_us);
int COMPUTE_RES_WEAK compute_resource_release_cached(unsigned int context_id);
int COMPUTE_RES_WEAK compute_resource_check_release_request(unsigned int context_id);
int COMPUTE_RES_WEAK compute_resource_update_priority(unsigned int context_id,
                                                      unsigned short priority);
int COMPUTE_RES_WEAK compute_resource_hmx_lock(unsigned int context_id);
int COMPUTE_RES_WEAK compute_resource_hmx_unlock(unsigned int context_id);
int COMPUTE_RES_WEAK compute_resource_hmx_lock2(unsigned int context_id,
                                                compute_res_hmx_type_t type);
int COMPUTE_RES_WEAK compute_resource_hmx_unlock2(unsigned int context_id,
                                                  compute_res_hmx_type_t type);
#undef COMPUTE_RES_WEAK

#define COMPUTE_RES_CALL(function, ...)                                     \
    (function ? function(__VA_ARGS__) : (int)HAP_COMPUTE_RES_NOT_SUPPORTED)

/* First of all, on each attribute structure: asks for nothing. */
static inline int HAP_compute_res_attr_init(compute_res_attr_t *attr)
{
    return COMPUTE_RES_CALL(compute_resource_attr_init, attr);
}

/* Exclude every other holder that asked for serialization too. */
static inline int HAP_compute_res_attr_set_serialize(compute_res_attr_t *attr,
                                                     unsigned char b_serialize)
{
    return COMPUTE_RES_CALL(compute_resource_attr_set_serialize, attr, b_serialize);
}

static inline int HAP_compute_res_attr_set_hmx_param(compute_res_attr_t *attr,
                                                     unsigned char b_enable)
{
    return COMPUTE_RES_CALL(compute_resource_attr_set_hmx_param, attr, b_enable);
}

/* `vtcm_size` bytes, in one page if `b_single_page`. */
static inline int HAP_compute_res_attr_set_vtcm_param(compute_res_attr_t *attr,
                                                      unsigned int vtcm_size,
                                                      unsigned char b_single_page)
{
    return COMPUTE_RES_CALL(compute_resource_attr_set_vtcm_param, attr, vtcm_size, b_single_page);
}

/* `vtcm_size` bytes; if that is not free, what there is down to `min_vtcm_size`
 * (0: all or nothing). */
static inline int HAP_compute_res_attr_set_vtcm_param_v2(compute_res_attr_t *attr,
                                                         unsigned int vtcm_size,
                                                         unsigned int min_page_size,
                                                         unsigned int min_vtcm_size)
{
    return COMPUTE_RES_CALL(compute_resource_attr_set_vtcm_param_v2, attr, vtcm_size, min_page_size,
                            min_vtcm_size);
}

static inline int HAP_compute_res_attr_set_app_type(compute_res_attr_t *attr,
                                                    unsigned int application_id)
{
    return COMPUTE_RES_CALL(compute_resource_attr_set_app_type, attr, application_id);
}

/* A cached context keeps its address; between acquire_cached and release_cached
 * it holds the memory. */
static inline int HAP_compute_res_attr_set_cache_mode(compute_res_attr_t *attr,
                                                      unsigned char b_enable)
{
    return COMPUTE_RES_CALL(compute_resource_attr_set_cache_mode, attr, b_enable);
}

/* Called when a waiter of higher priority wants what the context holds. */
static inline int HAP_compute_res_attr_set_release_callback(
    compute_res_attr_t *attr,
    int (*release_callback)(unsigned int context_id, void *client_context), void *client_context)
{
    return COMPUTE_RES_CALL(compute_resource_attr_set_release_callback, attr, release_callback,
                            client_context);
}

/* After acquire, from the same attribute structure. NULL: none. */
static inline void *HAP_compute_res_attr_get_vtcm_ptr(compute_res_attr_t *attr)
{
    return compute_resource_attr_get_vtcm_ptr ? compute_resource_attr_get_vtcm_ptr(attr) : 0;
}

static inline int HAP_compute_res_attr_get_vtcm_ptr_v2(compute_res_attr_t *attr, void **vtcm_ptr,
                                                       unsigned int *vtcm_size)
{
    return COMPUTE_RES_CALL(compute_resource_attr_get_vtcm_ptr_v2, attr, vtcm_ptr, vtcm_size);
}

/* Sizes in bytes; any pointer may be NULL. */
static inline int HAP_compute_res_query_VTCM(unsigned int application_id,
                                             unsigned int *total_block_size,
                                             compute_res_vtcm_page_t *total_block_layout,
                                             unsigned int *avail_block_size,
                                             compute_res_vtcm_page_t *avail_block_layout)
{
    return COMPUTE_RES_CALL(compute_resource_query_VTCM, application_id, total_block_size,
                            total_block_layout, avail_block_size, avail_block_layout);
}

/* A context id, or 0: not to be had within `timeout_us` (0: at once). */
static inline unsigned int HAP_compute_res_acquire(compute_res_attr_t *attr,
                                                   unsigned int timeout_us)
{
    return compute_resource_acquire ? compute_resource_acquire(attr, timeout_us) : 0;
}

static inline int HAP_compute_res_release(unsigned int context_id)
{
    return COMPUTE_RES_CALL(compute_resource_release, context_id);
}

static inline int HAP_compute_res_acquire_cached(unsigned int context_id, unsigned int timeout_us)
{
    return COMPUTE_RES_CALL(compute_resource_acquire_cached, context_id, timeout_us);
}

static inline int HAP_compute_res_release_cached(unsigned int context_id)
{
    return COMPUTE_RES_CALL(compute_resource_release_cached, context_id);
}

/* Not 0: somebody of higher priority waits for this context's resources. */
static inline int HAP_compute_res_check_release_request(unsigned int context_id)
{
    return COMPUTE_RES_CALL(compute_resource_check_release_request, context_id);
}

/* 0: the calling thread's priority. */
static inline int HAP_compute_res_update_priority(unsigned int context_id, unsigned short priority)
{
    return COMPUTE_RES_CALL(compute_resource_update_priority, context_id, priority);
}

static inline int HAP_compute_res_hmx_lock(unsigned int context_id)
{
    return COMPUTE_RES_CALL(compute_resource_hmx_lock, context_id);
}

static inline int HAP_compute_res_hmx_unlock(unsigned int context_id)
{
    return COMPUTE_RES_CALL(compute_resource_hmx_unlock, context_id);
}

static inline int HAP_compute_res_hmx_lock2(unsigned int context_id, compute_res_hmx_type_t type)
{
    return COMPUTE_RES_CALL(compute_resource_hmx_lock2, context_id, type);
}

static inline int HAP_compute_res_hmx_unlock2(unsigned int context_id, compute_res_hmx_type_t type)
{
    return COMPUTE_RES_CALL(compute_resource_hmx_unlock2, context_id, type);
}

#ifdef __cplusplus
}
#endif

#endif
