/* Lines of a file. getline() alone returns the same at the end of a file and when memory is short;
 * who takes one for the other cuts off what follows. */
#ifndef RINKD_API_BASE_NEXT_LINE_H
#define RINKD_API_BASE_NEXT_LINE_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* Reads the next line, with its newline if it has one, into *line of *room bytes; both begin as
 * NULL and 0, grow as with getline(), and the caller frees *line. Returns the line's length, 0 at
 * the end of the file, -1 with errno set when the file cannot be read or memory is short (ENOMEM).
 */
ssize_t next_line(char **line, size_t *room, FILE *file);

/* Reads the rest of the file in the same way, up to a byte 0. */
ssize_t next_text(char **text, size_t *room, FILE *file);

/* Reads the first line of a small file, such as a secret, without its end, into ret_line of `size`
 * bytes; the rest of a longer line is left out. Returns 1, or 0 if the file is empty, or -1 with
 * errno set when it cannot be read. */
int first_line(FILE *file, char *ret_line, size_t size);

#endif
