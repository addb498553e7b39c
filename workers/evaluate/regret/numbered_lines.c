/* See numbered_lines.h. */
#include "workers/evaluate/regret/numbered_lines.h"

#include "workers/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 1 << 16, DEPTH_MAX = 16, WHY_MAX = 320 };

static bool take_line(const struct line *line, int number, numbered_take *take, void *context,
                      char ret_why[WHY_MAX])
{
    struct strict_errors errors = {.count = 0};
    json_t *document =
        line->too_long ? NULL
                       : strict_parse(line->text, line->length, LINE_MAX_BYTES, DEPTH_MAX, &errors);
    const struct strict_place root = strict_root(document, &errors);
    const struct strict_place own = strict_member(&root, "number");
    int64_t written;
    bool good = document && strict_object(&root, NULL) &&
                strict_whole(&own, number, number, &written) && take(context, number, &root);

    /* The errors borrow nothing of the document. */
    json_decref(document);
    if (!good && errors.count)
        snprintf(ret_why, WHY_MAX, "line %lld: %.100s: %.180s", (long long)line->number,
                 errors.error[0].pointer, errors.error[0].message);
    else if (!good)
        snprintf(ret_why, WHY_MAX, "line %lld: %s", (long long)line->number,
                 line->too_long ? "the line is too long" : "out of memory");
    return good;
}

static int read_lines(int fd, int most, numbered_take *take, void *context, char ret_why[WHY_MAX])
{
    struct line_reader reader;
    struct line line;
    int count = 0, got = 1;

    if (!lines_init(&reader, fd, LINE_MAX_BYTES)) {
        snprintf(ret_why, WHY_MAX, "out of memory");
        return -1;
    }
    while (count >= 0 && count < most && (got = lines_read(&reader, &line, 1)) == 1)
        count = take_line(&line, count, take, context, ret_why) ? count + 1 : -1;
    if (got < 0) {
        snprintf(ret_why, WHY_MAX, "%s", strerror(errno));
        count = -1;
    }
    lines_free(&reader);
    return count;
}

int numbered_lines_read(const char *path, int most, numbered_take *take, void *context,
                        char ret_error[NUMBERED_ERROR_MAX])
{
    char why[WHY_MAX];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int count = fd >= 0 ? read_lines(fd, most, take, context, why) : -1;

    if (fd < 0)
        snprintf(why, sizeof why, "%s", strerror(errno));
    else
        close(fd);
    if (count < 0)
        snprintf(ret_error, NUMBERED_ERROR_MAX, "%.180s: %s", path, why);
    return count;
}
