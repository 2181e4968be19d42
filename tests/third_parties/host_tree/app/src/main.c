#include <stdio.h>

#include "cli.h"
#include "ring.h"
#include "table.h"
#include "version.h"
#ifdef WITH_CORE
#include "beamcore.h"
#endif

const char beam_version[] = BEAM_VERSION;

int main(int argc, char **argv) {
    int at = ring_next(cli_number(argc, argv), TABLE_SIZE);
    int weight = beam_table[at];
#ifdef WITH_CORE
    weight = beamcore_weight(weight);
#endif
    printf("%s: %d\n", beam_version, weight);
    return 0;
}
