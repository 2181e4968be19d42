#include "meter.h"

void meter_add(struct meter *meter, long value) {
    if (!meter->count || value > meter->largest)
        meter->largest = value;
    meter->count++;
    meter->sum += value;
}

long meter_mean(const struct meter *meter) {
    return meter->count ? meter->sum / meter->count : 0;
}
