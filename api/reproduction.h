/* What papers on digital curling printed, beside what was measured here: reproduction.json, which
 * the daemon serves, the dashboard draws, rinkctl prints, and the tables of
 * workers/learn/reproduction.md are made of. */
#ifndef RINKD_API_REPRODUCTION_H
#define RINKD_API_REPRODUCTION_H

#include <jansson.h>
#include <stdio.h>

/* The embedded file; it ends with 0. */
extern const char reproduction_json[];

/* Writes the k-th cell of a row of a section: a text or a figure, maybe with its interval, as
 * "76.2 (73.0-79.2)" or "+5.10 ± 0.16"; true is "yes". */
void reproduction_write_cell(FILE *out, const json_t *section, size_t row, size_t k);

/* Writes what the paper printed, in one line without its end: "65.1 % after 1.5 million ends, …".
 */
void reproduction_write_printed(FILE *out, const json_t *section);

#endif
