/* See generated_part.h. */
#include "api/base/generated_part.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX_BYTES = 4 << 20 };

static int complain(const struct generated_part *part, const char *path, const char *what)
{
    fprintf(stderr, "%s: %s: %s\n", part->program, path, what);
    return 1;
}

int generated_part_main(const struct generated_part *part, int argc, char **argv)
{
    bool checks = argc == 3 && strcmp(argv[1], "--check") == 0;
    const char *path = argv[argc - 1];
    static char text[FILE_MAX_BYTES];

    if (argc != 2 && !checks) {
        fprintf(stderr, "%s: usage: %s [--check] FILE\n", part->program, part->program);
        return 1;
    }
    FILE *file = fopen(path, "re");
    size_t bytes = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    char *wanted = bytes > 0 ? part->rewritten(text) : NULL;
    if (!wanted)
        return complain(part, path, part->lacks);
    bool is_same = strcmp(text, wanted) == 0, good = true;
    if (!is_same && !checks) {
        file = fopen(path, "we");
        good = file && fputs(wanted, file) >= 0;
        good = file && fclose(file) == 0 && good;
    }
    free(wanted);
    if (!is_same && checks)
        return complain(part, path, part->outdated);
    return good ? 0 : complain(part, path, "cannot be written");
}
