/* store.c: writes the convert state to memory. */
#include "geometry.h"

/* Which part of the convert state is written: `:after` and `:before` of direct stores, or all. */
static bool writes_column(const struct operation *operation, bool rest)
{
    return operation->kind == STORE || (rest ? operation->after : operation->before);
}

bool store(struct unit *unit, const struct operation *operation, uint32_t rs, uint32_t rt)
{
    const bool halves = operation->kind == DIRECT && operation->type == HF;
    const uint32_t mask = (operation->channel_major ? MASK_CHANNEL_MAJOR : MASK_SPATIAL) &
                          ~(halves ? 1u : 0u);
    const struct place place = place_of(rs, rt, mask);
    const unsigned shift = operation->channel_major ? 0 : 2;
    const unsigned older = operation->kind == DIRECT ? 0 : operation->deep ? 2 : 1;
    const unsigned channels = operation->two_by_two ? CHANNELS / 2 : CHANNELS;
    const unsigned first = operation->two_by_two && (rs >> 6 & 1u) != 0 ? channels : 0;
    uint8_t *second, *crouton = croutons(unit, &place, place.y0 > 0, &second, operation->syntax);
    for (uint32_t y = 0; crouton != NULL && y < place.ny; y++) {
        uint8_t *to = y >= place.y0 ? crouton : second;
        const uint32_t row = (y + place.ny - place.y0) % place.ny;
        for (uint32_t x = 0; x < place.nx; x++) {
            const bool rest = x >= place.x0;
            const uint32_t column = (x + place.nx - place.x0) % place.nx;
            const uint32_t from = offset_at(&place, column, row), at = offset_at(&place, x, y);
            if (!writes_column(operation, rest)) {
                continue;
            }
            for (unsigned byte = 0; byte <= halves; byte++) {
                const unsigned s = gather(from | byte, mask | halves);
                for (unsigned c = 0; c < channels; c++) {
                    const unsigned channel = operation->two_by_two ? 2 * c + 1 : c;
                    to[(at | byte) + ((first + c) << shift)] =
                        (uint8_t)(unit->states[rest ? 0 : older][s][channel] >> 4);
                }
            }
        }
    }
    return crouton != NULL;
}
