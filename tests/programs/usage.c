/* See usage.h. */
#include "tests/programs/usage.h"

#include "tests/programs/program.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { OPTION_MAX = 64, PAGE_MAX = 1 << 20 };

void usage_is_told(const char *path, const char *name, const char *usage)
{
    const char *const help_argv[] = {path, "--help", NULL};
    const char *const version_argv[] = {path, "--version", NULL};
    struct program_run help = program_run(help_argv, "", 0);
    struct program_run version = program_run(version_argv, "", 0);
    size_t length = strlen(name);

    assert_int_equal(help.status, 0);
    assert_non_null(strstr(help.output, usage));
    assert_int_equal(version.status, 0);
    assert_int_equal(strncmp(version.output, name, length), 0);
    assert_int_equal(version.output[length], ' ');
    assert_true(isdigit((unsigned char)version.output[length + 1]));
    program_free(&help);
    program_free(&version);
}

char *usage_page(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = malloc(PAGE_MAX), *written = text;

    assert_true(file && text);
    text[fread(text, 1, PAGE_MAX - 1, file)] = '\0';
    fclose(file);
    for (char *at = text; *at; at++)
        if (!(at[0] == '\\' && at[1] == '-'))
            *written++ = *at;
    *written = '\0';
    return text;
}

/* Reads the option that begins at " --". */
static void option_at(const char *at, char ret_option[OPTION_MAX])
{
    int letters = (int)strspn(at + 3, "abcdefghijklmnopqrstuvwxyz0123456789_-");

    snprintf(ret_option, OPTION_MAX, "--%.*s", letters, at + 3);
}

int usage_page_has_options(const char *page, const char *help)
{
    char option[OPTION_MAX];
    int options = 0;

    for (const char *at = help; (at = strstr(at, " --")) != NULL; at += 3, options++) {
        option_at(at, option);
        if (!strstr(page, option))
            fail_msg("%s is not written about", option);
    }
    return options;
}

/* Whether a paragraph that names the option says the default. */
static bool page_has_default(const char *page, const char *option, const char *value)
{
    for (const char *at = page; (at = strstr(at, option)) != NULL; at++) {
        const char *end = strstr(at, "\n.TP"), *said = at;
        while ((said = strstr(said, "efault")) != NULL && (!end || said < end)) {
            const char *word = said + 6 + strspn(said + 6, ": \n");
            said = word;
            size_t length = strlen(value);
            if (strncmp(word, value, length) == 0 && strcspn(word + length, ",;\n )") <= 1)
                return true;
        }
    }
    return false;
}

int usage_page_has_defaults(const char *page, const char *help)
{
    char option[OPTION_MAX], value[OPTION_MAX], after;
    int defaults = 0;

    for (const char *at = help; (at = strstr(at, " --")) != NULL; at += 3) {
        const char *next = strstr(at + 3, "\n  -"), *said = strstr(at, "default");
        const char *other = strstr(at + 3, "\n      --");
        option_at(at, option);
        if (!said || (next && said > next) || (other && said > other) ||
            sscanf(said, "default%*[ \n]%63[^) \n]%c", value, &after) != 2 || after != ')')
            continue;
        if (!page_has_default(page, option, value))
            fail_msg("%s: the page does not say the default %s", option, value);
        defaults++;
    }
    return defaults;
}

int usage_page_has_no_others(const char *page, const char *help)
{
    char option[OPTION_MAX];
    int options = 0;

    for (const char *at = page; (at = strstr(at, "\n.TP\n.B")) != NULL; at += 5) {
        const char *end = strchr(at + 5, '\n'), *dashes = strstr(at, " --");
        if (!dashes || dashes > end)
            continue;
        option_at(dashes, option);
        if (!strstr(help, option))
            fail_msg("--help does not have %s", option);
        options++;
    }
    return options;
}
