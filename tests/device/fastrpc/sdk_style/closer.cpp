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

extern "C" int close_at_unload(remote_handle64 handle)
{
    closer.handle = handle;
    return closer.constructed;
}
