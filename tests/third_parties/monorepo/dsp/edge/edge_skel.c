/* Dispatches the methods of edge.idl; checked in, so that building needs no IDL compiler. */
#include "edge.h"

int edge_skel_handle_invoke(unsigned long long handle, unsigned scalars, void *arguments) {
    (void)handle;
    return scalars >> 24 ? 20 /* AEE_EUNSUPPORTED */ : edge_rows(arguments);
}
