/* checks.h: the checks of device-probe.
 *
 * Each prints lines of a name and numbers, and returns 0 or the code of the function that failed. */
#ifndef CHECKS_H
#define CHECKS_H

#include <stdint.h>

#include "device_probe.h"
#include "remote.h"

int check_arch(remote_handle64 handle);
int check_hvx_integer(remote_handle64 handle);
int check_hvx_float(remote_handle64 handle);
int check_vtcm(remote_handle64 handle);
int check_hmx(remote_handle64 handle);
int check_zero_copy(remote_handle64 handle);
int check_unmap(remote_handle64 handle);
int check_map_size(remote_handle64 handle);
int check_dspqueue(remote_handle64 handle);
int check_sessions(remote_handle64 handle);
int check_latency(remote_handle64 handle);
int check_bandwidth(remote_handle64 handle);
int check_clock(remote_handle64 handle);
int check_restart(remote_handle64 handle);
int check_search(remote_handle64 handle);
int check_parallel(remote_handle64 handle);

/* What comes before the first call of two checks: return 0, or a code. */
int prepare_restart(void);
int prepare_search(void);

/* Prints which step follows: the last one tells where a call that never returns is. */
void begin_step(const char *name);

/* The number of the DSP that is checked. */
extern int probed_domain;

/* The name of the skel's file, of which the URI is made. */
extern const char *skel_file;

/* The URI of the skel on that DSP; it is valid until the next call. */
const char *skel_uri(void);

/* The name of that DSP. */
char *domain_name(void);

/* Asks for an unsigned process, unless a signed one is checked; `domain` is a number of that DSP. */
int choose_process(int domain);

/* Opens the skel in a process of that DSP. */
int open_skel(remote_handle64 *handle);

/* Returns a function of libcdsprpc, which may be older than it; prints "missing NAME" for NULL. */
void *library_function(const char *name);

#endif
