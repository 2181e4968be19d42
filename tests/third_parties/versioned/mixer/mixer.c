int wave_height(void);

int mixer_level(void) { return wave_height() + 2; }
