// abi_rest.cpp: in place of parts of libc++abi that need streams or pthreads.
#include <stdlib.h>

extern "C" __attribute__((visibility("hidden"), noreturn)) void __abort_message(const char *, ...)
{
    abort();
}

// The exceptions that a thread handles: __cxa_eh_globals of cxa_exception.h.
struct globals {
    void *caught;
    unsigned int uncaught;
};

static thread_local globals own;

extern "C" __attribute__((visibility("default"))) globals *__cxa_get_globals()
{
    return &own;
}

extern "C" __attribute__((visibility("default"))) globals *__cxa_get_globals_fast()
{
    return &own;
}
