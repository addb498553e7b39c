/* rinkctl complete: what shell completions and the manual page get from rinkctl's own tables.
 * Lines have fields separated by tabs. WORD... are the words of a command line so far.
 *
 *   complete words WORD...     NAME, SENTENCE of each word that may come next: the commands, or the
 *                              kinds of jobs; a line FILE: also the name of a file
 *   complete options WORD...   --NAME, ARGUMENT, SENTENCE, "many" or "once", CHOICES of each option
 *   complete kinds             NAME, SENTENCE of each kind of job that can be submitted
 *   complete manual            the part of the manual page about `submit`, in roff
 *   complete shot              the options of `shot`, likewise; map and calls the same */
#include "service/rinkctl/options.h"
#include "service/rinkctl/print.h"
#include "service/rinkctl/submit_options.h"

#include <ctype.h>
#include <string.h>

static void write_kinds(void)
{
    const struct job_kind *kind;

    for (int k = 0; (kind = job_kind_at(k)) != NULL; k++)
        if (!kind->is_internal)
            printf("%s\t%s\n", kind->name, kind->about);
}

static void write_rows(const struct option_row *row)
{
    char kinds[JOB_KIND_NAMES_MAX];

    for (; row && row->name; row++) {
        const char *choices = row->type == OPTION_KIND ? job_kind_names(" ", kinds) : row->choices;
        printf("--%s\t%s\t%s\t%s\t%s\n", row->name, row->argument ? row->argument : "",
               row->help ? row->help : "", submit_repeats(row) ? "many" : "once",
               choices ? choices : "");
    }
}

/* Finds the command in argv[1..], and prepares the line for it. */
static void read_words(struct line *line, int argc, char **argv)
{
    int at = options_find_word(line, argc, argv, ARGP_SILENT);

    line->command = at > 0 ? command_find(argv[at]) : NULL;
    line->options = line->command ? line->command->options : NULL;
    if (line->command && line->command->prepare)
        line->command->prepare(line, argc - at, argv + at);
}

static void write_words(const struct line *line)
{
    enum word word = line->command ? line->command->word : NO_WORD;
    const struct command *command;

    for (int k = 0; !line->command && (command = command_at(k)) != NULL; k++)
        printf("%s\t%.*s\n", command->name, (int)strcspn(command->about, ".\v"), command->about);
    if (word == WORD_KIND && !line->kind)
        write_kinds();
    if (word == WORD_FILE || word == WORD_FOLDER || (word == WORD_KIND && !line->kind))
        puts("FILE");
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

static void write_options(const struct option_row *row)
{
    for (; row->field; row++) {
        fputs(".TP\n.BR ", stdout);
        write_escaped("--");
        write_escaped(row->name);
        if (row->argument)
            printf(" =\\fI%s\\fR", row->argument);
        putchar('\n');
        write_sentence(row->help);
    }
}

static void write_manual(void)
{
    const struct job_kind *kind;

    for (int k = 0; (kind = job_kind_at(k)) != NULL; k++) {
        const struct field *words = submit_words(kind);
        if (kind->is_internal)
            continue;
        printf(".SS submit %s%s%s\n", kind->name, words ? " " : "",
               words ? submit_words_shown(kind) : "");
        write_sentence(kind->about);
        if (words && submit_is_list(words))
            write_sentence(words->about);
        write_options(submit_options(kind));
    }
}

/* Prints nothing for unknown words, so a shell offers nothing. */
enum exit_status complete(int argc, char **argv)
{
    static struct line line; /* large: not on the stack */
    const char *what = argc > 1 ? argv[1] : "";

    if (argc > 2)
        read_words(&line, argc - 1, argv + 1);
    if (strcmp(what, "words") == 0) {
        write_words(&line);
    } else if (strcmp(what, "options") == 0) {
        write_rows(line.options);
        write_rows(common_options);
    } else if (strcmp(what, "kinds") == 0) {
        write_kinds();
    } else if (strcmp(what, "manual") == 0) {
        write_manual();
    } else if (strcmp(what, "shot") == 0) {
        write_options(shot_options());
    } else if (strcmp(what, "map") == 0) {
        write_options(map_options());
    } else if (strcmp(what, "calls") == 0) {
        write_options(calls_options());
    }
    return EXIT_GOOD;
}
