/* A program that writes a part of a file of this project anew: its main(). */
#ifndef RINKD_API_BASE_GENERATED_PART_H
#define RINKD_API_BASE_GENERATED_PART_H

struct generated_part {
    const char *program;
    /* Returns the text of the file with the part replaced; the caller frees it. NULL: the file has
     * no place for it. */
    char *(*rewritten)(const char *text);
    const char *lacks;    /* what a file without that place is told to lack */
    const char *outdated; /* what is told of a file that differs */
};

/* PROGRAM FILE            writes the part anew
 * PROGRAM --check FILE    checks that it is up to date
 * Returns the exit status: 0, or 1 after a line to standard error. */
int generated_part_main(const struct generated_part *part, int argc, char **argv);

#endif
