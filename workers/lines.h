/* Lines of any input, a bounded buffer of them at a time: an endless file needs no more memory than
 * a short one, and what an interactive writer has finished is handed out at once. */
#ifndef RINKD_WORKERS_LINES_H
#define RINKD_WORKERS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line {
    const char *text; /* without the line end; may hold any byte, does not end in 0 */
    size_t length;
    int64_t number; /* 1, 2, …; blank lines count */
    bool too_long;  /* longer than the reader takes: its text is left out */
};

struct line_reader {
    int fd; /* the caller's */
    size_t line_max;
    char *buffer;
    size_t capacity;
    size_t start, scanned, end; /* of the bytes not yet handed out; no line end before `scanned` */
    bool at_end;
    bool skipping; /* inside a line that was too long */
    int64_t number;
};

/* Reads from fd lines of up to line_max bytes. Give the reader to lines_free(). False when memory
 * is short. */
bool lines_init(struct line_reader *reader, int fd, size_t line_max);

/* Waits for the next lines and hands out those that are complete, at most `most`; those of blanks
 * only are left out. They live until the next call. A last line without an end counts as complete.
 * Returns how many (at least 1), 0 at the end of the input, or -1 with errno set. */
int lines_read(struct line_reader *reader, struct line *ret_lines, int most);

void lines_free(struct line_reader *reader);

#endif
