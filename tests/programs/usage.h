/* What every program owes its users: --help, --version, a manual page that agrees with them. */
#ifndef RINKD_TESTS_PROGRAMS_USAGE_H
#define RINKD_TESTS_PROGRAMS_USAGE_H

/* The program at `path` tells its `usage` line and its version, behind its `name`. */
void usage_is_told(const char *path, const char *name, const char *usage);

/* A manual page, or another text about a program, without the backslashes of "\-"; the caller's. */
char *usage_page(const char *path);

/* Every --option in the output of --help is in the page. Returns how many there are. */
int usage_page_has_options(const char *page, const char *help);

/* Every option that has a paragraph of its own in the page is in the output of --help. Returns how
 * many there are. */
int usage_page_has_no_others(const char *page, const char *help);

#endif
