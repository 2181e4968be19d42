int wave_height(void) { return 40; }
