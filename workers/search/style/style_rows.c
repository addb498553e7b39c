/* The library of styles. */
#include "workers/search/style/style.h"

const struct style_row style_rows[] = {{0}};
