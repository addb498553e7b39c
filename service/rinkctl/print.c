/* Messages and whole documents. */
#include "service/rinkctl/print.h"

#include <stdarg.h>

void complain(const char *command, const char *format, ...)
{
    char text[2048];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s: ", command);
    print_text(stderr, text, false);
    fputc('\n', stderr);
}

enum exit_status print_json(const char *command, const json_t *document)
{
    if (json_dumpf(document, stdout, JSON_INDENT(2) | JSON_ENCODE_ANY) != 0 ||
        putchar('\n') == EOF) {
        complain(command, "the answer could not be written");
        return EXIT_TROUBLE;
    }
    return EXIT_GOOD;
}
