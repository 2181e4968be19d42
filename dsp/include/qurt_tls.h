/* qurt_tls.h: thread-local data with keys.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK. */
#ifndef QURT_TLS_H
#define QURT_TLS_H

#ifdef __cplusplus
extern "C" {
#endif

/* The destructor is called with a thread's value when the thread ends. Returns QURT_ETLSAVAIL when
 * no key is free. */
int qurt_tls_create_key(int *key, void (*destructor)(void *));
int qurt_tls_set_specific(int key, const void *value);
void *qurt_tls_get_specific(int key);
int qurt_tls_delete_key(int key);

#ifdef __cplusplus
}
#endif

#endif
