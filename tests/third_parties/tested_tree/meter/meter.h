// Running statistics of a series of integers.
#pragma once

struct meter {
    long count, sum, largest;
};

void meter_add(struct meter *meter, long value);
long meter_mean(const struct meter *meter);
