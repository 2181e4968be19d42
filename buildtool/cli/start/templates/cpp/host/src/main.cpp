#include <iostream>

#include "@IDENT@.hpp"

int main()
{
    try {
        const @IDENT@::Dsp dsp;
        const auto result = dsp.scale_add(3, {1, 2, 3}, {10, 20, 30});
        std::cout << "@NAME@: the DSP computed " << result[0] << ' ' << result[1] << ' '
                  << result[2] << '\n';
    } catch (const @IDENT@::Error &error) {
        std::cerr << "@NAME@: " << error.what() << '\n';
        return 1;
    }
}
