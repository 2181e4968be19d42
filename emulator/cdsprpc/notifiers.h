/* notifiers.h: the client's functions that are told when a DSP process starts and ends. */
#ifndef BUILDTOOL_CDSPRPC_NOTIFIERS_H
#define BUILDTOOL_CDSPRPC_NOTIFIERS_H

#include <stdbool.h>

#include "cdsprpc.h"

int notifiers_add(int effective, const remote_rpc_notif_register_t *notify);
/* Calls the client's notifiers, except those whose library has been unloaded. */
void notifiers_call(int effective, remote_rpc_status_flags_t status);
/* Whether the calling thread is in a notifier. */
bool notifiers_calling(void);
/* Whether the client has a notifier for this domain. */
bool notifiers_exist(int effective);

#endif
