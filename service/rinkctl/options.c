/* Reads command lines. */
#include "service/rinkctl/options.h"

#include "service/rinkctl/print.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_SERVER = 0x200, KEY_TOKEN_FILE, KEY_RETRIES, KEY_JSON, RETRIES_MAX = 100 };

static const struct argp_option known_common[] = {
    {"server", KEY_SERVER, "URL", 0,
     "where the daemon is (default: RINKCTL_SERVER, else http://127.0.0.1:8080)", 8},
    {"token-file", KEY_TOKEN_FILE, "FILE", 0,
     "the token is the first line of FILE (default: RINKCTL_TOKEN)", 8},
    {"retries", KEY_RETRIES, "N", 0,
     "times that a request is sent again when the server is away or busy (default 5)", 8},
    {"json", KEY_JSON, NULL, 0, "write the answer as JSON", 8},
    {0},
};

static error_t read_common(int key, char *argument, struct argp_state *state)
{
    struct common *common = state->input;

    switch (key) {
    case KEY_SERVER:
        common->server = argument;
        return 0;
    case KEY_TOKEN_FILE:
        common->token_file = argument;
        return 0;
    case KEY_RETRIES:
        common->retries = (int)option_whole(state, "retries", argument, 0, RETRIES_MAX);
        return 0;
    case KEY_JSON:
        common->json = 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp common_argp = {known_common, read_common, NULL, NULL, NULL, NULL, NULL};

/* ---- one command ---- */

enum { KEY_OPTION = 0x300 }; /* plus the index of its row */

static const struct {
    const char *argument, *missing; /* missing NULL: optional */
} words[] = {
    [NO_WORD] = {NULL, NULL},
    [WORD_JOB] = {"JOB", "the number of a job is missing"},
    [WORD_RUN] = {"RUN", "the name of a run is missing"},
    [WORD_FILE] = {"[FILE]", NULL},
};

struct reading {
    const struct command_line *line;
    struct common *common;
    struct arguments *arguments;
};

static void read_word(struct argp_state *state, const struct reading *reading, const char *text)
{
    const struct command_line *line = reading->line;
    int most = line->word == NO_WORD ? 0 : line->more_words ? WORDS_MAX : 1;
    size_t digits = strspn(text, "0123456789");

    if (reading->arguments->words == most)
        argp_error(state, "'%s' is one argument too many", text);
    if (line->word == WORD_JOB && (digits == 0 || digits > 18 || text[digits]))
        argp_error(state, "'%s' is not the number of a job", text);
    reading->arguments->word[reading->arguments->words++] = text;
}

static error_t read_option(int key, char *argument, struct argp_state *state)
{
    const struct reading *reading = state->input;
    const struct command_line *line = reading->line;

    if (key >= KEY_OPTION && key < KEY_OPTION + OPTIONS_MAX) {
        const struct option_row *row = &line->options[key - KEY_OPTION];
        if (row->least < row->most)
            option_whole(state, row->name, argument, row->least, row->most);
        reading->arguments->option[key - KEY_OPTION] = argument ? argument : "";
        return 0;
    }
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = reading->common;
        return 0;
    case ARGP_KEY_ARG:
        read_word(state, reading, argument);
        return 0;
    case ARGP_KEY_END:
        if (reading->arguments->words == 0 && words[line->word].missing)
            argp_error(state, "%s", words[line->word].missing);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void options_read(const struct command_line *line, int argc, char **argv, struct common *common,
                  struct arguments *ret_arguments)
{
    static const struct argp_child children[] = {{&common_argp, 0, NULL, 0}, {0}};
    struct argp_option known[OPTIONS_MAX + 1] = {{0}};
    const char *word = line->more_words ? line->more_words : words[line->word].argument;
    /* The help of argp leaks memory of size 0 for a table without rows. */
    const bool has_options = line->options && line->options[0].name;
    const struct argp argp = {
        has_options ? known : NULL, read_option, word, line->about, children, NULL, NULL};
    struct reading reading = {line, common, ret_arguments};

    *ret_arguments = (struct arguments){.words = 0};
    for (int k = 0; has_options && line->options[k].name; k++) {
        const struct option_row *row = &line->options[k];
        known[k] = (struct argp_option){row->name, KEY_OPTION + k, row->argument,
                                        0,         row->help,      row->group};
    }
    if (argp_parse(&argp, argc, argv, 0, NULL, &reading) != 0)
        exit(EXIT_TROUBLE);
}

/* ---- values ---- */

int64_t option_whole(struct argp_state *state, const char *name, const char *text, int64_t least,
                     int64_t most)
{
    const char *digits = text + (*text == '-');
    char *end;

    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (!*digits || strspn(digits, "0123456789") != strlen(digits) || errno || number < least ||
        number > most)
        argp_error(state, "--%s must be a whole number in %lld..%lld, not '%s'", name,
                   (long long)least, (long long)most, text);
    return number;
}

double option_number(struct argp_state *state, const char *name, const char *text)
{
    char *end;
    double number = strtod(text, &end);

    /* The first test refuses forms that strtod() alone would accept: blanks, hex, inf. */
    if (!*text || strspn(text, "0123456789.eE+-") != strlen(text) || *end || !isfinite(number))
        argp_error(state, "--%s must be a number, not '%s'", name, text);
    return number;
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
        fputs("JSON is read from the keyboard; end it with Ctrl-D, or name a FILE.\n", stderr);
    json_t *document = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    if (!document)
        complain(command, "%s, line %d, column %d: %s", name, error.line, error.column, error.text);
    if (!is_input)
        fclose(file);
    return document;
}
