/* compute_res.c: the compute resource manager: VTCM, serialization, and locks of HMX. */
#include <limits.h>
#include <string.h>

#include "AEEStdErr.h"
#include "HAP_compute_res.h"
#include "HAP_vtcm_mgr.h"
#include "contexts.h"
#include "runtime.h"
#include "vtcm.h"

#define MAGIC 0x56544331u
#define NOT_SUPPORTED ((int)HAP_COMPUTE_RES_NOT_SUPPORTED)

_Static_assert(sizeof(struct claim) <= sizeof(compute_res_attr_t), "a claim fits the attributes");

/* Returns NULL when the attributes were not initialized. */
static struct claim *claim_of(compute_res_attr_t *attr)
{
    struct claim *claim = (struct claim *)(void *)attr;
    return claim != NULL && claim->magic == MAGIC ? claim : NULL;
}

static bool has_hmx(void)
{
    if (shell_facts()->hmx == 0) {
        REFUSE_ONCE("HAP_compute_res: the %s has no HMX", shell_facts()->soc);
    }
    return shell_facts()->hmx != 0;
}

int compute_resource_attr_init(compute_res_attr_t *attr)
{
    if (attr == NULL) {
        return AEE_EBADPARM;
    }
    memset(attr, 0, sizeof *attr);
    ((struct claim *)(void *)attr)->magic = MAGIC;
    return AEE_SUCCESS;
}

/* The attributes of newer SDKs are larger; their wrapper passes the size, and version 0x300. */
int compute_resource_attr_init_v2(compute_res_attr_t *attr, unsigned int size, unsigned int version)
{
    (void)version;
    if (attr == NULL || size < sizeof *attr) {
        return AEE_EBADPARM;
    }
    memset(attr, 0, size);
    return compute_resource_attr_init(attr);
}

int compute_resource_attr_set_serialize(compute_res_attr_t *attr, unsigned char b_enable)
{
    struct claim *claim = claim_of(attr);
    if (claim == NULL) {
        return AEE_EBADPARM;
    }
    claim->serialize = b_enable != 0;
    return AEE_SUCCESS;
}

int compute_resource_attr_set_vtcm_param_v2(compute_res_attr_t *attr, unsigned int vtcm_size,
                                            unsigned int min_page_size, unsigned int min_vtcm_size)
{
    struct claim *claim = claim_of(attr);
    (void)min_page_size; /* the memory is contiguous, so every page size is satisfied */
    if (claim == NULL || min_vtcm_size > vtcm_size) {
        return AEE_EBADPARM;
    }
    claim->size = vtcm_size;
    claim->least = min_vtcm_size;
    return AEE_SUCCESS;
}

int compute_resource_attr_set_vtcm_param(compute_res_attr_t *attr, unsigned int vtcm_size,
                                         unsigned char b_single_page)
{
    (void)b_single_page;
    return compute_resource_attr_set_vtcm_param_v2(attr, vtcm_size, 0, 0);
}

/* The VTCM has one partition, which all applications use. */
int compute_resource_attr_set_app_type(compute_res_attr_t *attr, unsigned int application_id)
{
    (void)application_id;
    return claim_of(attr) == NULL ? AEE_EBADPARM : AEE_SUCCESS;
}

int compute_resource_attr_set_cache_mode(compute_res_attr_t *attr, unsigned char b_enable)
{
    struct claim *claim = claim_of(attr);
    if (claim == NULL) {
        return AEE_EBADPARM;
    }
    claim->cached = b_enable != 0;
    return AEE_SUCCESS;
}

int compute_resource_attr_set_release_callback(compute_res_attr_t *attr,
                                               int (*release_callback)(unsigned int context_id,
                                                                       void *client_context),
                                               void *client_context)
{
    struct claim *claim = claim_of(attr);
    if (claim == NULL) {
        return AEE_EBADPARM;
    }
    claim->callback = release_callback;
    claim->argument = client_context;
    return AEE_SUCCESS;
}

int compute_resource_attr_set_hmx_param(compute_res_attr_t *attr, unsigned char b_enable)
{
    struct claim *claim = claim_of(attr);
    if (claim == NULL) {
        return AEE_EBADPARM;
    }
    if (b_enable && !has_hmx()) {
        return NOT_SUPPORTED;
    }
    claim->hmx = b_enable != 0;
    return AEE_SUCCESS;
}

void *compute_resource_attr_get_vtcm_ptr(compute_res_attr_t *attr)
{
    const struct claim *claim = claim_of(attr);
    return claim == NULL ? NULL : claim->given;
}

int compute_resource_attr_get_vtcm_ptr_v2(compute_res_attr_t *attr, void **vtcm_ptr,
                                          unsigned int *vtcm_size)
{
    const struct claim *claim = claim_of(attr);
    if (claim == NULL || vtcm_ptr == NULL || vtcm_size == NULL) {
        return AEE_EBADPARM;
    }
    *vtcm_ptr = claim->given;
    *vtcm_size = claim->given_size;
    return AEE_SUCCESS;
}

unsigned int compute_resource_acquire(compute_res_attr_t *attr, unsigned int timeout_us)
{
    struct claim *claim = claim_of(attr);
    return claim == NULL ? 0 : context_create(claim, timeout_us);
}

int compute_resource_release(unsigned int context_id)
{
    return context_destroy(context_id);
}

int compute_resource_acquire_cached(unsigned int context_id, unsigned int timeout_us)
{
    return context_acquire(context_id, timeout_us);
}

int compute_resource_release_cached(unsigned int context_id)
{
    return context_release(context_id);
}

int compute_resource_check_release_request(unsigned int context_id)
{
    int wanted = context_wanted(context_id);
    return wanted < 0 ? AEE_EBADPARM : wanted;
}

int compute_resource_update_priority(unsigned int context_id, unsigned short priority)
{
    return priority > 255
               ? AEE_EBADPARM
               : context_set_priority(context_id, priority == 0 ? thread_priority() : priority);
}

/* Divides a size into pages: as many of the largest size as fit, then of the next smaller size, and
 * so on. */
static void lay_out(compute_res_vtcm_page_t *layout, uint32_t size)
{
    *layout = (compute_res_vtcm_page_t){.block_size = size};
    for (uint32_t page = 0x1000000u; page >= 4096u && layout->page_list_len < 8; page /= 4) {
        if (size >= page) {
            layout->page_list[layout->page_list_len++] = (compute_res_vtcm_page_def_t){page,
                                                                                       size / page};
            size %= page;
        }
    }
}

int compute_resource_query_VTCM(unsigned int application_id, unsigned int *total_block_size,
                                compute_res_vtcm_page_t *total_block_layout,
                                unsigned int *avail_block_size,
                                compute_res_vtcm_page_t *avail_block_layout)
{
    (void)application_id;
    uint32_t available = avail_block_size != NULL || avail_block_layout != NULL
                             ? context_available()
                             : 0;
    if (total_block_size != NULL) {
        *total_block_size = vtcm_total();
    }
    if (total_block_layout != NULL) {
        lay_out(total_block_layout, vtcm_total());
    }
    if (avail_block_size != NULL) {
        *avail_block_size = available;
    }
    if (avail_block_layout != NULL) {
        lay_out(avail_block_layout, available);
    }
    return AEE_SUCCESS;
}

int compute_resource_hmx_lock(unsigned int context_id)
{
    return has_hmx() ? context_lock_hmx(context_id) : NOT_SUPPORTED;
}

int compute_resource_hmx_lock2(unsigned int context_id, compute_res_hmx_type_t type)
{
    (void)type;
    return compute_resource_hmx_lock(context_id);
}

int compute_resource_hmx_unlock(unsigned int context_id)
{
    return has_hmx() ? context_unlock_hmx(context_id) : NOT_SUPPORTED;
}

/* ---- the VTCM manager: each request is a context that is identified by its address ---- */

void *HAP_request_async_VTCM(unsigned int size, unsigned int single_page_flag,
                             unsigned int timeout_us)
{
    struct claim claim = {.magic = MAGIC, .size = size, .by_address = true};
    (void)single_page_flag;
    if (size == 0) {
        return NULL;
    }
    return context_create(&claim, timeout_us < 200 ? 0 : timeout_us) == 0 ? NULL : claim.given;
}

void *HAP_request_VTCM(unsigned int size, unsigned int single_page_flag)
{
    return HAP_request_async_VTCM(size, single_page_flag, 0);
}

int HAP_release_VTCM(void *pVA)
{
    return context_destroy_at(pVA);
}

int HAP_query_total_VTCM(unsigned int *page_size, unsigned int *page_count)
{
    if (page_size != NULL) {
        *page_size = vtcm_total();
    }
    if (page_count != NULL) {
        *page_count = vtcm_total() > 0;
    }
    return vtcm_total() == 0 ? AEE_EUNSUPPORTED : AEE_SUCCESS;
}

int HAP_query_avail_VTCM(unsigned int *avail_block_size, unsigned int *max_page_size,
                         unsigned int *num_pages)
{
    compute_res_vtcm_page_t layout;
    lay_out(&layout, context_available());
    if (avail_block_size != NULL) {
        *avail_block_size = layout.block_size;
    }
    if (max_page_size != NULL) {
        *max_page_size = layout.page_list_len == 0 ? 0 : layout.page_list[0].page_size;
    }
    if (num_pages != NULL) {
        *num_pages = layout.page_list_len == 0 ? 0 : layout.page_list[0].num_pages;
    }
    return vtcm_total() == 0 ? AEE_EUNSUPPORTED : AEE_SUCCESS;
}

const struct shell_symbol compute_res_symbols[] = {
    EXPORT(compute_resource_attr_init),
    EXPORT(compute_resource_attr_init_v2),
    EXPORT(compute_resource_attr_set_serialize),
    EXPORT(compute_resource_attr_set_vtcm_param),
    EXPORT(compute_resource_attr_set_vtcm_param_v2),
    EXPORT(compute_resource_attr_set_app_type),
    EXPORT(compute_resource_attr_set_cache_mode),
    EXPORT(compute_resource_attr_set_release_callback),
    EXPORT(compute_resource_attr_set_hmx_param),
    EXPORT(compute_resource_attr_get_vtcm_ptr),
    EXPORT(compute_resource_attr_get_vtcm_ptr_v2),
    EXPORT(compute_resource_acquire),
    EXPORT(compute_resource_release),
    EXPORT(compute_resource_acquire_cached),
    EXPORT(compute_resource_release_cached),
    EXPORT(compute_resource_check_release_request),
    EXPORT(compute_resource_update_priority),
    EXPORT(compute_resource_query_VTCM),
    EXPORT(compute_resource_hmx_lock),
    EXPORT(compute_resource_hmx_lock2),
    EXPORT(compute_resource_hmx_unlock),
    EXPORT_AS("compute_resource_hmx_unlock2", compute_resource_hmx_unlock),
    EXPORT(HAP_request_VTCM),
    EXPORT(HAP_request_async_VTCM),
    EXPORT(HAP_release_VTCM),
    EXPORT(HAP_query_total_VTCM),
    EXPORT(HAP_query_avail_VTCM),
    EXPORT_END,
};
