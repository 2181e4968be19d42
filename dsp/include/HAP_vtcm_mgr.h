/* HAP_vtcm_mgr.h: VTCM only; the older alternative to HAP_compute_res.h.
 *
 * The interface is that documented for the Hexagon SDK (VTCM manager). */
#ifndef HAP_VTCM_MGR_H_
#define HAP_VTCM_MGR_H_

#ifdef __cplusplus
extern "C" {
#endif

/* Returns `size` bytes of VTCM, or NULL when they are not free. */
void *HAP_request_VTCM(unsigned int size, unsigned int single_page_flag);

/* The same, but waits up to `timeout_us`. Does not wait if that is less than 200. */
void *HAP_request_async_VTCM(unsigned int size, unsigned int single_page_flag,
                             unsigned int timeout_us);
int HAP_release_VTCM(void *pVA);

/* Returns the size of the largest page and the number of such pages. Each pointer may be NULL. */
int HAP_query_total_VTCM(unsigned int *page_size, unsigned int *page_count);
int HAP_query_avail_VTCM(unsigned int *avail_block_size, unsigned int *max_page_size,
                         unsigned int *num_pages);

#ifdef __cplusplus
}
#endif

#endif
