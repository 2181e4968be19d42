#pragma once

int ring_next(int at, int size);
