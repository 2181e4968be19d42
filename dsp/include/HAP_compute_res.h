/* HAP_compute_res.h: VTCM, HMX and serialization from the compute resource manager.
 *
 * The interface is that documented for the Hexagon SDK (Compute resource manager). All functions of
 * the DSP shell are weak references. When one is missing, its wrapper returns
 * HAP_COMPUTE_RES_NOT_SUPPORTED. */
#ifndef HAP_COMPUTE_RES_H_
#define HAP_COMPUTE_RES_H_

#ifdef __cplusplus
extern "C" {
#endif

#define HAP_COMPUTE_RES_NOT_SUPPORTED 0x80000404
#define HAP_COMPUTE_RES_MAX_NUM_THREADS 16

/* Opaque. Only the functions below access its content. */
typedef struct {
    unsigned long long attributes[8];
} compute_res_attr_t;

typedef struct {
    unsigned int page_size; /* bytes */
    unsigned int num_pages;
} compute_res_vtcm_page_def_t;

typedef struct {
    unsigned int block_size;    /* bytes */
    unsigned int page_list_len; /* number of valid elements of page_list */
    compute_res_vtcm_page_def_t page_list[8];
} compute_res_vtcm_page_t;

typedef enum {
    HAP_COMPUTE_RES_HMX_NON_SHARED = 0,
    HAP_COMPUTE_RES_HMX_SHARED = 1
} compute_res_hmx_type_t;

#define COMPUTE_RES_WEAK __attribute__((weak))
int COMPUTE_RES_WEAK compute_resource_attr_init(compute_res_attr_t *attr);
int COMPUTE_RES_WEAK compute_resource_attr_init_v2(compute_res_attr_t *attr, unsigned int size,
                                                   unsigned int version);
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

/* Initializes an attribute structure that requests nothing. Must be called before all other
 * functions on the structure. */
static inline int HAP_compute_res_attr_init(compute_res_attr_t *attr)
{
    return COMPUTE_RES_CALL(compute_resource_attr_init, attr);
}

/* Requests serialization: excludes all other holders that have requested it. */
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

/* Requests `vtcm_size` bytes of VTCM, in one page if `b_single_page` is set. */
static inline int HAP_compute_res_attr_set_vtcm_param(compute_res_attr_t *attr,
                                                      unsigned int vtcm_size,
                                                      unsigned char b_single_page)
{
    return COMPUTE_RES_CALL(compute_resource_attr_set_vtcm_param, attr, vtcm_size, b_single_page);
}

/* Requests `vtcm_size` bytes of VTCM, or the free VTCM if that is less but at least
 * `min_vtcm_size`. If `min_vtcm_size` is 0, requests exactly `vtcm_size` bytes. */
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

/* Requests a cached context. It keeps its address, and holds the memory only between
 * HAP_compute_res_acquire_cached and HAP_compute_res_release_cached. */
static inline int HAP_compute_res_attr_set_cache_mode(compute_res_attr_t *attr,
                                                      unsigned char b_enable)
{
    return COMPUTE_RES_CALL(compute_resource_attr_set_cache_mode, attr, b_enable);
}

/* Sets a callback that is called when a waiter with a higher priority needs the resources of the
 * context. */
static inline int HAP_compute_res_attr_set_release_callback(
    compute_res_attr_t *attr,
    int (*release_callback)(unsigned int context_id, void *client_context), void *client_context)
{
    return COMPUTE_RES_CALL(compute_resource_attr_set_release_callback, attr, release_callback,
                            client_context);
}

/* Returns the VTCM address after HAP_compute_res_acquire with the same attribute structure, or
 * NULL. */
static inline void *HAP_compute_res_attr_get_vtcm_ptr(compute_res_attr_t *attr)
{
    return compute_resource_attr_get_vtcm_ptr ? compute_resource_attr_get_vtcm_ptr(attr) : 0;
}

static inline int HAP_compute_res_attr_get_vtcm_ptr_v2(compute_res_attr_t *attr, void **vtcm_ptr,
                                                       unsigned int *vtcm_size)
{
    return COMPUTE_RES_CALL(compute_resource_attr_get_vtcm_ptr_v2, attr, vtcm_ptr, vtcm_size);
}

/* Returns the total and the available VTCM, in bytes. Each pointer may be NULL. */
static inline int HAP_compute_res_query_VTCM(unsigned int application_id,
                                             unsigned int *total_block_size,
                                             compute_res_vtcm_page_t *total_block_layout,
                                             unsigned int *avail_block_size,
                                             compute_res_vtcm_page_t *avail_block_layout)
{
    return COMPUTE_RES_CALL(compute_resource_query_VTCM, application_id, total_block_size,
                            total_block_layout, avail_block_size, avail_block_layout);
}

/* Returns a context id, or 0 if the resources are not available within `timeout_us`. A timeout of
 * 0 does not wait. */
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

/* Returns a value other than 0 if a waiter with a higher priority needs the context's resources. */
static inline int HAP_compute_res_check_release_request(unsigned int context_id)
{
    return COMPUTE_RES_CALL(compute_resource_check_release_request, context_id);
}

/* Sets the priority of a context. 0 means the priority of the calling thread. */
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
