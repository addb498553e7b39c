/* rinkd(1) and `rinkd --help` agree on options and defaults. */
#include "tests/programs/program.h"
#include "tests/programs/usage.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FLAG_MAX = 64, WORDS_MAX = 128 };

/* Makes a single line of a text: one blank between words, no roff font requests. */
static void flatten(char *text)
{
    char *to = text;

    for (const char *from = text; *from;) {
        if (*from == '\n' && from[1] == '.' && isupper((unsigned char)from[2]) &&
            strncmp(from + 1, ".TP", 3) != 0)
            from += 1 + strcspn(from + 1, " \n");
        else if (isspace((unsigned char)*from))
            from++;
        else {
            *to++ = *from++;
            continue;
        }
        if (to > text && to[-1] != ' ')
            *to++ = ' ';
    }
    *to = '\0';
}

/* Checks that "efault: WORDS" appears in the flag's paragraph. */
static void assert_page_says(const char *page, const char *flag, const char *words)
{
    char head[FLAG_MAX + 4], text[WORDS_MAX + 16];

    snprintf(head, sizeof head, "%s =", flag);
    snprintf(text, sizeof text, "efault: %s", words);
    const char *at = strstr(page, head);
    if (!at)
        fail_msg("there is no paragraph of %s", flag);
    const char *end = strstr(at, ".TP"), *found = strstr(at, text);
    if (!found || (end && found > end))
        fail_msg("the paragraph of %s does not say '%s'", flag, text);
}

static void the_page_has_options_and_defaults_of_the_help(void **state)
{
    static const char begin[] = "(default: ";
    struct program_run help = program_run((const char *[]){RINKD, "--help", NULL}, "", 0);
    char *page = usage_page(RINKD_PAGE), flag[FLAG_MAX], words[WORDS_MAX];
    int defaults = 0;

    (void)state;
    assert_int_equal(help.status, 0);
    assert_true(usage_page_has_options(page, help.output) >= 20);
    usage_page_has_no_others(page, help.output);
    flatten(page);
    flatten(help.output);
    for (const char *at = help.output; (at = strstr(at, " --")) != NULL; at += 3) {
        const char *next = strstr(at + 3, " --"), *found = strstr(at, begin);
        if (!found || (next && found > next))
            continue;
        snprintf(flag, sizeof flag, "%.*s", (int)strcspn(at + 1, "= "), at + 1);
        snprintf(words, sizeof words, "%.*s", (int)strcspn(found + strlen(begin), ")"),
                 found + strlen(begin));
        assert_page_says(page, flag, words);
        defaults++;
    }
    assert_int_equal(defaults, 30);
    free(page);
    program_free(&help);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_has_options_and_defaults_of_the_help),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
