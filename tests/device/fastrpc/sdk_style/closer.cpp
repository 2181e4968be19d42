// closer.cpp: a library that libsdkstyle.so finds in its RUNPATH. A static object closes a session
// when the libraries are unloaded.
#include "remote.h"

namespace
{

struct Closer {
    remote_handle64 handle;
    int constructed;

    Closer() : handle(0), constructed(42)
    {
    }

    ~Closer()
    {
        if (handle != 0) {
            remote_handle64_close(handle);
        }
    }
} closer;

} // namespace

// GCC's and the NDK's start files destroy the static objects of a library that is unloaded; zig's
// have no such function.
extern "C" void *__dso_handle;
extern "C" void __cxa_finalize(void *library);

__attribute__((destructor)) static void destroy_static_objects()
{
    __cxa_finalize(&__dso_handle);
}

extern "C" int close_at_unload(remote_handle64 handle)
{
    closer.handle = handle;
    return closer.constructed;
}
