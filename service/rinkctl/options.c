/* Command lines, by argp. */
#include "service/rinkctl/options.h"

#include "api/base/build_json.h"
#include "api/base/quoted.h"
#include "service/rinkctl/print.h"
#include "service/rinkctl/suggest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_OPTION = 0x200, /* plus the index of its row */ ROWS_MAX = 80, RETRIES_MAX = 100 };

const struct option_row common_options[] = {
    {"address", "URL",
     "address of the daemon (default: RINKCTL_SERVER, else http://127.0.0.1:8080)",
     .type = OPTION_TEXT},
    {"token-file", "FILE", "the token is the first line of FILE (default: RINKCTL_TOKEN)",
     .type = OPTION_TEXT},
    {"ca-file", "FILE",
     "certificates to check an https server by (default: RINKCTL_CA_FILE, else the system's)",
     .type = OPTION_TEXT},
    {"retries", "N",
     "how often to repeat a request if the server is away or busy (default " QUOTED(
         OPTION_RETRIES) ")",
     OPTION_WHOLE, .least = 0, .most = RETRIES_MAX},
    {"json", NULL, "write the answer as JSON", .type = OPTION_TEXT},
    {0},
};

static const struct {
    const char *argument, *missing; /* missing NULL: optional */
} words[] = {
    [NO_WORD] = {NULL, NULL},
    [WORD_JOB] = {"JOB", "the number of a job is missing"},
    [WORD_JOBS] = {"JOB...", "the number of a job is missing"},
    [WORD_MAYBE_JOBS] = {"[JOB...]", NULL},
    [WORD_RUN] = {"RUN", "the name of a run is missing"},
    [WORD_FILE] = {"[FILE]", NULL},
    [WORD_KIND] = {NULL, "a KIND or a FILE is missing"},
    [WORD_WEBHOOK] = {"WEBHOOK", "the number of a webhook is missing"},
    [WORD_POSITION] = {"POSITION", "the number of a position is missing"},
    [WORD_GAME] = {"GAME", "the id of a game is missing"},
    [WORD_NODE] = {"NODE", "the name of a node is missing"},
    [WORD_URL] = {"URL", "a URL is missing"},
    [WORD_FOLDER] = {"FOLDER", "the name of a new folder is missing"},
};

/* ---- lines ---- */

struct reading {
    struct line *line;
    const struct option_row *row[ROWS_MAX]; /* of the command, then the common ones */
    int word_at;                            /* index of the first word; -1: read all words */
};

static void read_word(struct argp_state *state, struct line *line, const char *text)
{
    enum word word = line->command->word;
    bool are_jobs = word == WORD_JOBS || word == WORD_MAYBE_JOBS;
    int most = word == NO_WORD ? 0 : are_jobs || line->command->words ? GIVEN_MAX : 1;
    bool is_job = word == WORD_JOB || are_jobs;
    size_t digits = strspn(text, "0123456789");

    if (line->word_count == most)
        argp_error(state, "'%s' is one argument too many", text);
    const char *of = is_job                  ? "job"
                     : word == WORD_WEBHOOK  ? "webhook"
                     : word == WORD_POSITION ? "position"
                                             : NULL;
    if (of && (digits == 0 || digits > 18 || text[digits]))
        argp_error(state, "'%s' is not the number of a %s", text, of);
    line->word[line->word_count++] = text;
}

static error_t read_argument(int key, char *argument, struct argp_state *state)
{
    struct reading *reading = state->input;
    struct line *line = reading->line;

    if (key >= KEY_OPTION && key < KEY_OPTION + ROWS_MAX) {
        const struct option_row *row = reading->row[key - KEY_OPTION];
        option_check(state, row, argument);
        if (line->givens == GIVEN_MAX) {
            argp_error(state, "more than %d options", GIVEN_MAX);
            return E2BIG; /* mistakes are no reason to end */
        }
        line->given[line->givens].row = row;
        line->given[line->givens++].value = argument;
        return 0;
    }
    switch (key) {
    case ARGP_KEY_ARG:
        if (reading->word_at < 0) {
            read_word(state, line, argument);
        } else { /* leaves the rest alone */
            reading->word_at = state->next - 1;
            state->next = state->argc;
        }
        return 0;
    case ARGP_KEY_END:
        if (reading->word_at >= 0)
            return 0;
        if (line->word_count == 0 && words[line->command->word].missing)
            argp_error(state, "%s", words[line->command->word].missing);
        if (line->command->check)
            line->command->check(line, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Lists the commands in the help of the program itself. */
static char *add_commands(int key, const char *text, void *input)
{
    const struct reading *reading = input;
    char *list = NULL;
    size_t size;

    if (key != ARGP_KEY_HELP_PRE_DOC || !reading || reading->line->command)
        return (char *)(size_t)text;
    FILE *out = open_memstream(&list, &size);
    if (!out)
        return NULL;
    fprintf(out, "%s\n\nCommands:\n", text);
    command_print_list(out);
    fputs("\nCOMMAND --help lists the options of a command. The options below may also follow it.",
          out);
    fclose(out);
    return list;
}

/* ---- unknown options ---- */

/* Options that had another name, and are not taken under it any more. */
static const struct {
    const char *was, *is;
} renamed[] = {{"server", "address"}};

/* The option that a name of so many letters stands for, itself or by its beginning; NULL: none. */
static const struct option_row *find_row(const struct reading *reading, int count, const char *name,
                                         size_t length)
{
    const struct option_row *found = NULL;

    for (int k = 0; k < count; k++)
        if (strncmp(reading->row[k]->name, name, length) == 0 &&
            (!found || strlen(reading->row[k]->name) == length))
            found = reading->row[k];
    return found;
}

/* Ends the program with the name of an option that is not known, and the nearest one. */
static void refuse_option(const struct reading *reading, int count, const char *argument)
{
    const char *program = reading->line->name;
    char *name = strndup(argument, strcspn(argument, "="));
    struct suggestion suggestion = {.wanted = name ? name + 2 : ""};

    for (int k = 0; k < count; k++)
        suggestion_try(&suggestion, reading->row[k]->name);
    for (size_t k = 0; k < sizeof renamed / sizeof renamed[0]; k++)
        if (strcmp(suggestion.wanted, renamed[k].was) == 0)
            suggestion.best = renamed[k].is;
    if (!*program)
        program = program_invocation_short_name;
    complain(program, "there is no option '%s'", name ? name : argument);
    if (suggestion.best)
        complain(program, "did you mean --%s?", suggestion.best);
    fprintf(stderr, "Try `%s --help'.\n", program);
    free(name);
    exit(EXIT_TROUBLE);
}

/* Looks for an option that is not known: argp would name it and suggest nothing. The words of
 * another command end the search if only those in front of it are read. */
static void check_names(const struct reading *reading, int count, int argc, char **argv)
{
    static const char *const of_argp[] = {"--help", "--usage", "--version"};

    for (int k = 1; k < argc && strcmp(argv[k], "--") != 0; k++) {
        const size_t length = strcspn(argv[k], "=");
        bool known = strncmp(argv[k], "--", 2) != 0;
        if (known && reading->word_at >= 0 && argv[k][0] != '-')
            return;
        for (size_t n = 0; n < sizeof of_argp / sizeof of_argp[0]; n++)
            known = known || strncmp(of_argp[n], argv[k], length) == 0;
        const struct option_row *row =
            known ? NULL : find_row(reading, count, argv[k] + 2, length - 2);
        if (!known && !row)
            refuse_option(reading, count, argv[k]);
        k += row && row->argument && !argv[k][length]; /* its value is no option */
    }
}

static void parse(struct reading *reading, int argc, char **argv, unsigned flags)
{
    struct argp_option known[ROWS_MAX + 1] = {{0}};
    const struct option_row *own = reading->line->options, *row;
    const struct argp argp = {
        known, read_argument, reading->line->words, reading->line->about, NULL, add_commands, NULL};
    char kinds[JOB_KIND_NAMES_MAX];
    int count = 0;

    for (; own && own->name; own++)
        reading->row[count++] = own;
    const int first_common = count;
    for (row = common_options; row->name; row++)
        reading->row[count++] = row;
    for (int k = 0; k < count; k++) {
        row = reading->row[k];
        known[k] = (struct argp_option){
            .name = row->name,
            .key = KEY_OPTION + k,
            .arg = row->argument,
            .doc = row->type == OPTION_KIND ? job_kind_names(", ", kinds) : row->help,
            .group = row->is_needed     ? 1
                     : row->field       ? 2
                     : k < first_common ? 3
                                        : 4};
    }
    if (!(flags & ARGP_SILENT))
        check_names(reading, count, argc, argv);
    if (argp_parse(&argp, argc, argv, flags, NULL, reading) != 0 && !(flags & ARGP_SILENT))
        exit(EXIT_TROUBLE);
}

void options_read(struct line *line, int argc, char **argv)
{
    struct reading reading = {.line = line, .word_at = -1};

    if (!line->words)
        line->words = words[line->command->word].argument;
    parse(&reading, argc, argv, 0);
}

int options_find_word(struct line *line, int argc, char **argv, unsigned flags)
{
    struct reading reading = {.line = line, .word_at = 0};

    parse(&reading, argc, argv, flags | ARGP_IN_ORDER);
    return reading.word_at;
}

/* ---- values ---- */

static int given_index(const struct line *line, const char *name)
{
    int k = line->givens - 1;

    while (k >= 0 && strcmp(line->given[k].row->name, name) != 0)
        k--;
    return k;
}

const char *option_text(const struct line *line, const char *name)
{
    int k = given_index(line, name);
    return k < 0 ? NULL : line->given[k].value;
}

bool option_given(const struct line *line, const char *name)
{
    return given_index(line, name) >= 0;
}

void option_check(struct argp_state *state, const struct option_row *row, const char *text)
{
    char *end;

    errno = 0;
    if (row->type == OPTION_WHOLE) {
        const char *digits = text + (*text == '-');
        long long number = strtoll(text, &end, 10);
        if (!*digits || strspn(digits, "0123456789") != strlen(digits) || errno ||
            number < row->least || number > row->most)
            argp_error(state, "--%s must be a whole number in %lld..%lld, not '%s'", row->name,
                       (long long)row->least, (long long)row->most, text);
    } else if (row->type == OPTION_NUMBER) {
        double number = strtod(text, &end);
        /* The first test refuses forms that strtod() alone would accept: blanks, hex, inf. */
        if (!*text || strspn(text, "0123456789.eE+-") != strlen(text) || *end || !isfinite(number))
            argp_error(state, "--%s must be a number, not '%s'", row->name, text);
    }
}

json_t *option_json(enum option_type type, const char *text)
{
    if (!text)
        return json_true();
    return type == OPTION_WHOLE    ? json_integer(atoll(text))
           : type == OPTION_NUMBER ? json_real(atof(text))
                                   : json_string(text);
}

void options_set_members(const struct line *line, json_t *body)
{
    for (int k = 0; k < line->givens; k++) {
        const struct option_row *row = line->given[k].row;
        if (row->member)
            build_put(body, row->member, option_json(row->type, line->given[k].value));
    }
}

json_t *options_values(const struct line *line, const char *name)
{
    json_t *values = NULL;

    for (int k = 0; k < line->givens; k++) {
        if (strcmp(line->given[k].row->name, name) != 0)
            continue;
        if (!values)
            values = json_array();
        json_array_append_new(values, json_string(line->given[k].value));
    }
    return values;
}

json_t *options_read_json(const char *command, const char *path)
{
    bool is_input = strcmp(path, "-") == 0;
    FILE *file = is_input ? stdin : fopen(path, "re");
    const char *name = is_input ? "standard input" : path;
    json_error_t error;

    if (!file) {
        complain(command, "%s: %s", path, strerror(errno));
        return NULL;
    }
    if (is_input && isatty(STDIN_FILENO))
        fputs("Type JSON and end it with Ctrl-D, or name a FILE.\n", stderr);
    json_t *document = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    if (!document)
        complain(command, "%s, line %d, column %d: %s", name, error.line, error.column, error.text);
    if (!is_input)
        fclose(file);
    return document;
}
