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

/* Prints which step follows: the last one tells where a call that never returns is. */
void begin_step(const char *name);

/* Opens the skel in an unsigned process of the compute DSP. */
int open_skel(remote_handle64 *handle);

/* Returns a function of libcdsprpc, which may be older than it; prints "missing NAME" for NULL. */
void *library_function(const char *name);

#endif
