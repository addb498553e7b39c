/* rinkctl complete: prints the part of completions and manual page about `submit`, from the table
 * of the kinds of jobs. Lines have fields separated by tabs.
 *
 *   complete kinds           NAME, SENTENCE for each kind that can be submitted
 *   complete all-kinds       the same, with those that only the service adds
 *   complete options KIND    --NAME, ARGUMENT, SENTENCE, "many" or "once", CHOICES
 *   complete manual          the part of the manual page, in roff */
#include "service/rinkctl/print.h"
#include "service/rinkctl/submit_options.h"

#include <ctype.h>
#include <string.h>

static void write_kinds(bool with_internal)
{
    const struct job_kind *kind;

    for (int k = 0; (kind = job_kind_at(k)) != NULL; k++)
        if (with_internal || !kind->is_internal)
            printf("%s\t%s\n", kind->name, kind->about);
}

static void write_options(const struct job_kind *kind)
{
    static struct submit_option options[SUBMIT_OPTIONS_MAX]; /* large: not on the stack */
    int count = submit_options(kind, options);

    for (int k = 0; k < count; k++)
        printf("--%s\t%s\t%s\t%s\t%s\n", options[k].name, options[k].argument, options[k].help,
               submit_repeats(&options[k]) ? "many" : "once", options[k].choices);
}

/* ---- roff ---- */

static void write_escaped(const char *text)
{
    for (; *text; text++) {
        if (*text == '-')
            putchar('\\');
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '"')
            fputs("\\(dq", stdout);
        else
            putchar(*text);
    }
}

/* Writes a description as a sentence: with a capital, unless it begins with the name of a value and
 * a colon. */
static void write_sentence(const char *text)
{
    bool is_name = text[strcspn(text, " :")] == ':';
    char first[2] = {is_name ? text[0] : (char)toupper((unsigned char)text[0]), '\0'};

    write_escaped(first);
    write_escaped(text + 1);
    fputs(".\n", stdout);
}

static void write_manual_of(const struct job_kind *kind)
{
    static struct submit_option options[SUBMIT_OPTIONS_MAX]; /* large: not on the stack */
    int count = submit_options(kind, options);
    const struct field *words = submit_words(kind);

    printf(".SS submit %s%s\n", kind->name, words ? " PLAYER..." : "");
    write_sentence(kind->about);
    if (words)
        write_sentence(words->about);
    for (int k = 0; k < count; k++) {
        fputs(".TP\n.BR ", stdout);
        write_escaped("--");
        write_escaped(options[k].name);
        if (*options[k].argument)
            printf(" =\\fI%s\\fR", options[k].argument);
        putchar('\n');
        write_sentence(options[k].help);
    }
}

static void write_manual(void)
{
    const struct job_kind *kind;

    for (int k = 0; (kind = job_kind_at(k)) != NULL; k++)
        if (!kind->is_internal)
            write_manual_of(kind);
}

/* Prints nothing for unknown words, so a shell offers nothing. */
enum exit_status command_complete(int argc, char **argv, struct common *common)
{
    const char *what = argc > 1 ? argv[1] : "";
    const struct job_kind *kind = argc > 2 ? job_kind_find(argv[2]) : NULL;

    (void)common;
    if (strcmp(what, "kinds") == 0)
        write_kinds(false);
    else if (strcmp(what, "all-kinds") == 0)
        write_kinds(true);
    else if (strcmp(what, "options") == 0 && kind)
        write_options(kind);
    else if (strcmp(what, "manual") == 0)
        write_manual();
    return EXIT_GOOD;
}
