/* qurt_alloc.h: QuRT's names for the heap functions.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK. */
#ifndef QURT_ALLOC_H
#define QURT_ALLOC_H

#ifdef __cplusplus
extern "C" {
#endif

void *qurt_malloc(unsigned int size);
void *qurt_calloc(unsigned int elsize, unsigned int num);
void *qurt_realloc(void *ptr, int newsize);
void qurt_free(void *ptr);

#ifdef __cplusplus
}
#endif

#endif
