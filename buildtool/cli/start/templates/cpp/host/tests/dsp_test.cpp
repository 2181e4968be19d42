/* dsp_test NAME: runs one test, exits with status 0 if it passes. */
#include <cstdlib>
#include <iostream>
#include <string>

#include "@IDENT@.hpp"

namespace {

using Numbers = std::vector<std::int16_t>;

/* Whether the DSP computes what the CPU does for `count` elements. */
bool agrees(std::size_t count)
{
    const std::int16_t factor = 3;
    Numbers a(count), b(count);

    for (std::size_t i = 0; i < count; i++) {
        a[i] = static_cast<std::int16_t>(i * 37 + 1);
        b[i] = static_cast<std::int16_t>(20000 - static_cast<int>(i) * 11);
    }
    const Numbers result = @IDENT@::Dsp().scale_add(factor, a, b);
    for (std::size_t i = 0; i < count; i++) {
        const auto expected = static_cast<std::int16_t>(factor * a[i] + b[i]);
        if (result[i] != expected) {
            std::cout << "element " << i << " of " << count << " is " << result[i]
                      << ", should be " << expected << '\n';
            return false;
        }
    }
    return true;
}

bool refuses_different_lengths()
{
    try {
        @IDENT@::Dsp().scale_add(1, Numbers(3), Numbers(4));
    } catch (const @IDENT@::Error &error) {
        std::cout << error.what() << '\n';
        return true;
    }
    return false;
}

bool run(const std::string &test)
{
    if (test == "whole_vectors")
        return agrees(1024);
    if (test == "part_of_a_vector")
        return agrees(1001);
    if (test == "nothing")
        return agrees(0);
    return test == "different_lengths" && refuses_different_lengths();
}

} // namespace

int main(int argc, char **argv)
{
    return argc == 2 && run(argv[1]) ? EXIT_SUCCESS : EXIT_FAILURE;
}
