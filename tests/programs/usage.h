/* Checks for every program: --help, --version, and a manual page that agrees with them. */
#ifndef RINKD_TESTS_PROGRAMS_USAGE_H
#define RINKD_TESTS_PROGRAMS_USAGE_H

/* Checks that the program at `path` prints its `usage` line, and its version after its `name`. */
void usage_is_told(const char *path, const char *name, const char *usage);

/* Returns a manual page, or another text about a program, without the backslashes of "\-"; the
 * caller frees it. */
char *usage_page(const char *path);

/* Checks that every --option in the output of --help is in the page. Returns their number. */
int usage_page_has_options(const char *page, const char *help);

/* Checks that each "(default VALUE)" in the output of --help is also in a paragraph of the page
 * about that option. Returns their number. */
int usage_page_has_defaults(const char *page, const char *help);

/* Checks that every option with a paragraph in the page is in the output of --help. Returns their
 * number. */
int usage_page_has_no_others(const char *page, const char *help);

#endif
