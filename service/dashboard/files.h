/* The files of the dashboard, linked into the daemon: no file to find at run time. embed.cmake
 * writes the table. */
#ifndef RINKD_SERVICE_DASHBOARD_FILES_H
#define RINKD_SERVICE_DASHBOARD_FILES_H

struct dashboard_file {
    const char *name, *type; /* "board/page.js", "text/javascript; charset=utf-8" */
    const unsigned char *bytes, *end;
};

/* All but the page itself; name NULL at the end. */
extern const struct dashboard_file dashboard_files[];
extern const struct dashboard_file dashboard_page;
/* The first 16 hexadecimal digits of the SHA-256 of all of them: part of their addresses, so that
 * an address always means the same bytes. */
extern const char dashboard_version[];

#endif
