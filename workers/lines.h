/* Lines of any input in a bounded buffer: an endless file needs no more memory than a short one,
 * and finished lines of an interactive writer are returned at once. */
#ifndef RINKD_WORKERS_LINES_H
#define RINKD_WORKERS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line {
    const char *text; /* without the line end; may hold any byte, does not end in 0 */
    size_t length;
    int64_t number; /* 1, 2, …; blank lines count */
    bool too_long;  /* longer than line_max; the text is left out */
};

struct line_reader {
    int fd; /* the caller's */
    size_t line_max;
    char *buffer;
    size_t capacity;
    size_t start, scanned,
        end; /* offsets of the bytes not yet returned; no line ends before `scanned` */
    bool at_end;
    bool skipping; /* inside a line that was too long */
    int64_t number;
};

/* Prepares to read lines of up to line_max bytes from fd. The caller gives the reader to
 * lines_free(). False when memory is short. */
bool lines_init(struct line_reader *reader, int fd, size_t line_max);

/* Waits for lines and returns the complete ones, at most `most`, without blank ones. They live
 * until the next call. A last line without a newline counts as complete. Returns how many (at least
 * 1), 0 at the end of the input, or -1 with errno set. */
int lines_read(struct line_reader *reader, struct line *ret_lines, int most);

void lines_free(struct line_reader *reader);

#endif
