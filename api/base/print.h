/* Writing for people: aligned tables, numbers with units, and texts without control bytes. */
#ifndef RINKD_API_BASE_PRINT_H
#define RINKD_API_BASE_PRINT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes a text with '?' for control characters; with `lines`, line ends and tabs stay. */
void print_text(FILE *out, const char *text, bool lines);

enum { CELL_BYTES = 160, COLUMNS_MAX = 32 };

/* A column: its heading, the member of each item, and the member's writer. A list of columns ends
 * with a NULL heading. */
struct column {
    const char *heading;
    const char *member; /* with dots: "ends.sente" */
    /* Writes the member (NULL: absent) into at most CELL_BYTES. NULL: print_plain. */
    void (*write)(const json_t *value, char ret_cell[CELL_BYTES]);
    bool right; /* right-aligned */
};

/* Writes the items (objects) as lines below the headings. */
void print_table(FILE *out, const struct column *columns, const json_t *items);

/* Writes lines "heading  value" of one object, without members that are absent or null. Texts and
 * print_compact() are written in full, beyond CELL_BYTES. */
void print_fields(FILE *out, const struct column *columns, const json_t *object);

/* Writers of cells. Absent and null are "-". */
void print_plain(const json_t *value, char ret_cell[CELL_BYTES]);
void print_time(const json_t *value, char ret_cell[CELL_BYTES]);     /* "2026-01-31 12:00:00" */
void print_duration(const json_t *value, char ret_cell[CELL_BYTES]); /* s: "1 h 02 min" */
void print_percent(const json_t *value, char ret_cell[CELL_BYTES]);  /* of a share: "42.0 %" */
void print_share(const json_t *value, char ret_cell[CELL_BYTES]);    /* the same: "4.25 %" */
void print_place(const json_t *value, char ret_cell[CELL_BYTES]);    /* 0 is "1" */
void print_share_interval(const json_t *value, char ret_cell[CELL_BYTES]); /* "1.25 to 4.00 %" */
void print_tenths(const json_t *value, char ret_cell[CELL_BYTES]);         /* "42.0" */
void print_interval(const json_t *value, char ret_cell[CELL_BYTES]);       /* "1.0 to 2.5" */
void print_signed(const json_t *value, char ret_cell[CELL_BYTES]);         /* "+1.25" */
void print_elo(const json_t *value, char ret_cell[CELL_BYTES]);            /* "+105" */
void print_speed(const json_t *value, char ret_cell[CELL_BYTES]);          /* "2.3997" */
void print_mean(const json_t *value, char ret_cell[CELL_BYTES]);           /* "+0.250 ± 0.010" */
void print_bytes(const json_t *value, char ret_cell[CELL_BYTES]);          /* "1.2 MiB" */
void print_list(const json_t *value,
                char ret_cell[CELL_BYTES]); /* "a, b"; of an object "a 1, b 2" */
void print_compact(const json_t *value, char ret_cell[CELL_BYTES]); /* JSON in one line */

/* The member at a path of names with dots; NULL if it is absent. */
json_t *member_of(const json_t *object, const char *path);
/* The text at that path, "" if there is none. */
const char *text_of(const json_t *object, const char *path);
/* The number at that path, NAN if there is none. */
double number_of(const json_t *object, const char *path);

/* Writes the result of a job of that kind in a few lines: the views of api/jobs/job_kinds.h. */
void print_result(FILE *out, const char *kind, const json_t *result);

#endif
