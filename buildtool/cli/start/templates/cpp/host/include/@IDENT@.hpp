/* The kernels of @NAME@, called from C++. */
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace @IDENT@ {

/* A call that failed; `code` is the one that FastRPC or the DSP returned. */
class Error : public std::runtime_error {
public:
    Error(const std::string &what, int code);

    const int code;
};

/* An open session with the DSP, closed with the object.  Can be moved, not copied. */
class Dsp {
public:
    /* Throws Error if the skel cannot be opened. */
    Dsp();
    ~Dsp();
    Dsp(Dsp &&other) noexcept;
    Dsp(const Dsp &) = delete;
    Dsp &operator=(const Dsp &) = delete;
    Dsp &operator=(Dsp &&) = delete;

    /* factor * a[i] + b[i], in 16 bits, wrapping.  Throws Error if the lengths differ. */
    std::vector<std::int16_t> scale_add(std::int16_t factor, const std::vector<std::int16_t> &a,
                                        const std::vector<std::int16_t> &b) const;

private:
    std::uint64_t handle_ = 0;
};

} // namespace @IDENT@
