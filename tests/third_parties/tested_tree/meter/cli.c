// meter FILE [REPORT]: prints the statistics of the numbers in FILE, or writes them to REPORT.
#include <stdio.h>
#include <stdlib.h>

#include "meter.h"

int main(int argc, char **argv) {
    FILE *in = argc > 1 ? fopen(argv[1], "r") : NULL;
    FILE *out = argc > 2 ? fopen(argv[2], "w") : stdout;
    if (!in || !out) {
        perror(in ? argv[2] : argc > 1 ? argv[1] : "meter FILE [REPORT]");
        return 2;
    }
    struct meter meter = {0};
    long value;
    while (fscanf(in, "%ld", &value) == 1)
        meter_add(&meter, value);
    fprintf(out, "count %ld, mean %ld, largest %ld\n", meter.count, meter_mean(&meter), meter.largest);
    return fclose(out) != 0;
}
