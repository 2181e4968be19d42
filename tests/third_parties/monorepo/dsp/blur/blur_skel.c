/* Dispatches the methods of blur.idl; checked in, so that building needs no IDL compiler. */
#include "blur.h"

int blur_skel_handle_invoke(unsigned long long handle, unsigned scalars, void *arguments) {
    (void)handle;
    return scalars >> 24 ? 20 /* AEE_EUNSUPPORTED */ : blur_rows(arguments);
}
