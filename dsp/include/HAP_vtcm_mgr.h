/* HAP_vtcm_mgr.h: VTCM by itself, the older interface beside HAP_compute_res.h.
 *
 * Interface as documented for the Hexagon SDK (VTCM manager). */
#ifndef HAP_VTCM_MGR_H_
#define HAP_VTCM_MGR_H_

#ifdef __cplusplus
extern "C" {
#endif

/* `size` bytes, or NULL when they are not free at once. */
void *HAP_request_VTCM(unsigned int size, unsigned int single_page_flag);

/* The same, waiting up to `timeout_us` (at least 200, else as above). */
void *HAP_request_async_VTCM(unsigned int size, unsigned int single_page_flag,
                             unsigned int timeout_us);
int HAP_release_VTCM(void *pVA);

/* The largest page and how many there are; either pointer may be NULL. */
int HAP_query_total_VTCM(unsigned int *page_size, unsigned int *page_count);
int HAP_query_avail_VTCM(unsigned int *avail_block_size, unsigned int *max_page_size,
                         unsigned int *num_pages);

#ifdef __cplusplus
}
#endif

#endif
