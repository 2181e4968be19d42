#include "@IDENT@.hpp"

#include <cstdio>
#include <utility>

#include "@IDENT@_dsp.h"
#include "remote.h"

namespace {

std::string hex(int code)
{
    char text[16];

    std::snprintf(text, sizeof text, "0x%08x", static_cast<unsigned>(code));
    return text;
}

void check(int code, const char *what)
{
    if (code != 0)
        throw @IDENT@::Error(what, code);
}

} // namespace

namespace @IDENT@ {

Error::Error(const std::string &what, int code)
    : std::runtime_error(what + ": " + hex(code)), code(code)
{
}

Dsp::Dsp()
{
    /* The first open decides what kind of process the DSP makes: skels that are not signed
     * need an unsigned one. */
    remote_rpc_control_unsigned_module unsigned_process = {};
    unsigned_process.domain = CDSP_DOMAIN_ID;
    unsigned_process.enable = 1;
    check(remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &unsigned_process,
                                 sizeof unsigned_process),
          "no unsigned process on the DSP");
    check(@IDENT@_dsp_open(@IDENT@_dsp_URI CDSP_DOMAIN, &handle_), "cannot open the skel");
}

Dsp::~Dsp()
{
    if (handle_ != 0)
        @IDENT@_dsp_close(handle_);
}

Dsp::Dsp(Dsp &&other) noexcept : handle_(std::exchange(other.handle_, 0))
{
}

std::vector<std::int16_t> Dsp::scale_add(std::int16_t factor, const std::vector<std::int16_t> &a,
                                         const std::vector<std::int16_t> &b) const
{
    std::vector<std::int16_t> result(a.size());

    check(@IDENT@_dsp_scale_add(handle_, factor, a.data(), static_cast<int>(a.size()), b.data(),
                                static_cast<int>(b.size()), result.data(),
                                static_cast<int>(result.size())),
          "scale_add failed");
    return result;
}

} // namespace @IDENT@
