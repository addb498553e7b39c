/* See next_line.h. */
#include "api/base/next_line.h"

#include <errno.h>
#include <string.h>

static ssize_t next_until(int end, char **text, size_t *room, FILE *file)
{
    errno = 0;
    ssize_t length = getdelim(text, room, end, file);
    if (length > 0)
        return length;
    if (feof(file) && !ferror(file))
        return 0;
    errno = errno ? errno : EIO;
    return -1;
}

ssize_t next_line(char **line, size_t *room, FILE *file)
{
    return next_until('\n', line, room, file);
}

ssize_t next_text(char **text, size_t *room, FILE *file)
{
    return next_until('\0', text, room, file);
}

int first_line(FILE *file, char *ret_line, size_t size)
{
    errno = 0;
    *ret_line = '\0';
    if (fgets(ret_line, (int)size, file)) {
        ret_line[strcspn(ret_line, "\r\n")] = '\0';
        return 1;
    }
    if (feof(file) && !ferror(file))
        return 0;
    errno = errno ? errno : EIO;
    return -1;
}
