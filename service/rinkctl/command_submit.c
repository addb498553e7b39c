/* rinkctl submit: adds a job of a kind with options (submit_options.h), or one from a file. */
#include "api/base/build_json.h"
#include "api/base/load_json.h"
#include "api/base/next_line.h"
#include "service/rinkctl/client.h"
#include "service/rinkctl/options.h"
#include "service/rinkctl/print.h"
#include "service/rinkctl/submit_options.h"
#include "service/rinkctl/suggest.h"
#include "service/rinkctl/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRY_OUT_S = 50 /* time for trying out a job for its estimate */ };

/* ---- the kind ---- */

/* The kind whose name is the first word, read with the options of that kind. NULL: none. */
static const struct job_kind *find_kind(int argc, char **argv)
{
    static struct line line; /* large: not on the stack */
    const struct job_kind *kind;

    for (int k = 0; (kind = job_kind_at(k)) != NULL; k++) {
        if (kind->is_internal)
            continue;
        line = (struct line){.options = submit_options(kind)};
        int at = options_find_word(&line, argc, argv, ARGP_SILENT);
        if (at > 0 && strcmp(argv[at], kind->name) == 0)
            return kind;
    }
    return NULL;
}

static void prepare(struct line *line, int argc, char **argv)
{
    static char about[1024];
    const struct job_kind *kind = find_kind(argc, argv);
    size_t used = strlen(line->name);
    char names[JOB_KIND_NAMES_MAX];

    line->kind = kind;
    line->options = submit_options(kind);
    line->about = about;
    if (kind) {
        line->words = submit_words_shown(kind);
        snprintf(line->name + used, sizeof line->name - used, " %s", kind->name);
        snprintf(about, sizeof about, "Add a job. %s.", kind->about);
    } else {
        snprintf(about, sizeof about,
                 "Add a job: of a kind, with options (submit KIND --help lists them), or as a file."
                 "\vKINDs: %s. FILE (\"-\": standard input) is the body of POST /v1/jobs, "
                 "{\"kind\":...,\"spec\":{...}}. The server checks all values and names the wrong "
                 "ones. A request that has to be repeated still adds only one job.",
                 job_kind_names(", ", names));
    }
}

/* Ends the program unless the word, which is no kind, may be a file. */
static void check_file(const struct line *line, const char *word)
{
    struct suggestion suggestion = {.wanted = word};
    char names[JOB_KIND_NAMES_MAX];
    const struct job_kind *kind;

    if (strcmp(word, "-") == 0 || access(word, F_OK) == 0)
        return;
    for (int k = 0; (kind = job_kind_at(k)) != NULL; k++)
        if (!kind->is_internal)
            suggestion_try(&suggestion, kind->name);
    complain(line->name, "'%s' is neither a KIND (%s) nor a FILE", word,
             job_kind_names(", ", names));
    if (suggestion.best)
        complain(line->name, "did you mean '%s'?", suggestion.best);
    exit(EXIT_TROUBLE);
}

/* The options of a kind with a typing error would be unknown, too. */
static void look(const struct line *line, int argc, char **argv)
{
    if (!line->kind && argc > 1 && (argv[1][0] != '-' || !argv[1][1]))
        check_file(line, argv[1]);
}

/* ---- the spec ---- */

/* Returns the member at the path; makes it from `initial` (stolen) if it is missing. */
static json_t *member_made(json_t *body, const char *path, json_t *initial)
{
    if (!member_of(body, path))
        build_put(body, path, json_incref(initial));
    json_decref(initial);
    return member_of(body, path);
}

static void set_pair(struct argp_state *state, json_t *object, const char *option, const char *pair)
{
    const char *equals = strchr(pair, '=');

    if (!equals || equals == pair || !equals[1]) {
        argp_error(state, "--%s: '%s' is not NAME=VALUE", option, pair);
        return;
    }
    json_t *number = json_loads(equals + 1, JSON_DECODE_ANY, NULL);
    json_object_setn_new(object, pair, (size_t)(equals - pair),
                         number ? number : json_string(equals + 1));
}

static void set_joined(struct argp_state *state, json_t *object, const struct option_row *row,
                       const char *argument)
{
    char *copy = strdup(argument), *rest = copy;

    for (const struct field *member = row->field->field->fields; copy && member->name; member++) {
        const char *word = strsep(&rest, ":");
        const struct option_row part = {
            .name = row->name, .type = submit_type(member), .most = INT64_MAX};
        if (!word || (rest && !member[1].name))
            argp_error(state, "--%s: '%s' is not %s", row->name, argument, row->argument);
        option_check(state, &part, word);
        json_object_set_new(object, member->name, option_json(part.type, word));
    }
    free(copy);
}

/* Reads JSON lines; "-" is standard input. */
static void set_lines(struct argp_state *state, json_t *body, const struct option_row *row,
                      const char *name)
{
    FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "re");
    json_t *lines = member_made(body, row->field->path, json_array());
    char *text = NULL;
    size_t room = 0, number = 0;
    ssize_t length;

    if (!file)
        argp_failure(state, EXIT_TROUBLE, errno, "--%s %s", row->name, name);
    while ((length = next_line(&text, &room, file)) > 0) {
        json_t *line = load_json(text, (size_t)length, 0, NULL);
        number++;
        if (!line)
            argp_failure(state, EXIT_TROUBLE, 0, "--%s %s, line %zu: not JSON", row->name, name,
                         number);
        json_array_append_new(lines, line);
    }
    if (length < 0)
        argp_failure(state, EXIT_TROUBLE, errno, "--%s %s", row->name, name);
    free(text);
    if (file != stdin)
        fclose(file);
}

static void set_field(struct argp_state *state, json_t *body, const struct option_row *row,
                      const char *text)
{
    const char *path = row->field->path;

    switch (row->field->setter) {
    case SUBMIT_VALUE: /* options_set_members() */
        break;
    case SUBMIT_ELEMENT:
        json_array_append_new(member_made(body, path, json_array()), option_json(row->type, text));
        break;
    case SUBMIT_LINES:
        set_lines(state, body, row, text);
        break;
    case SUBMIT_OBJECT:
        member_made(body, path, json_object());
        break;
    case SUBMIT_JOINED:
        set_joined(state, member_made(body, path, json_object()), row, text);
        break;
    case SUBMIT_PAIR:
        set_pair(state, member_made(body, path, json_object()), row->name, text);
        break;
    }
}

/* The row of a field; NULL: it has no option. */
static const struct option_row *row_of(const struct line *line, const struct field *field)
{
    const struct option_row *row = line->options;

    while (row->name && (!row->field || row->field->field != field))
        row++;
    return row->name ? row : NULL;
}

/* Fills the list with the words after KIND. */
static void set_list(struct line *line, struct argp_state *state, const struct field *words)
{
    json_t *list = json_array();

    for (int k = 1; k < line->word_count; k++)
        json_array_append_new(list, json_string(line->word[k]));
    if (json_array_size(list) < words->list.least)
        argp_error(state, "at least %zu %s are needed", words->list.least, words->name);
    json_object_set_new(json_object_get(line->body, "spec"), words->name, list);
}

/* Takes the words after KIND: a list, or a single one in place of its option. */
static void set_words(struct line *line, struct argp_state *state)
{
    const struct field *words = submit_words(line->kind);
    const struct option_row *row = words ? row_of(line, words) : NULL;
    const int most = row && !option_given(line, row->name) ? 1 : 0; /* without KIND */

    if (words && !row) {
        set_list(line, state, words);
        return;
    }
    if (line->word_count == 1)
        return;
    if (line->word_count - 1 > most || line->givens == GIVEN_MAX)
        argp_error(state, "'%s' is one argument too many", line->word[1 + most]);
    option_check(state, row, line->word[1]);
    line->given[line->givens].row = row;
    line->given[line->givens++].value = line->word[1];
}

/* Whether the choice that a field depends on is one of those that allow it. */
static bool is_allowed(const struct line *line, const struct field *field)
{
    const struct field *by = line->kind->fields;

    if (!field->by)
        return true;
    while (strcmp(by->name, field->by) != 0)
        by++;
    const char *choice = option_text(line, row_of(line, by)->name);
    return job_value_find(field->only, choice ? choice : by->choices[0]) >= 0;
}

static void check_needed(const struct line *line, struct argp_state *state)
{
    for (const struct field *field = line->kind->fields; field->name; field++) {
        const struct option_row *row = row_of(line, field);
        if (!row || field->absent != FIELD_NEEDED || option_given(line, row->name) ||
            !is_allowed(line, field))
            continue;
        if (field->by)
            argp_error(state, "--%s=%s is needed with this %s", row->name, row->argument,
                       field->by);
        argp_error(state, "--%s=%s is needed", row->name, row->argument);
    }
}

/* Makes the spec of a kind; the server checks it. */
static void make_spec(struct line *line, struct argp_state *state)
{
    json_object_set_new(line->body, "kind", json_string(line->kind->name));
    json_object_set_new(line->body, "spec", json_object());
    set_words(line, state);
    check_needed(line, state);
    for (int k = 0; k < line->givens; k++)
        if (line->given[k].row->field)
            set_field(state, line->body, line->given[k].row, line->given[k].value);
}

/* --after, which may be given several times. */
static void set_after(const struct line *line, json_t *body)
{
    for (int k = 0; k < line->givens; k++)
        if (strcmp(line->given[k].row->name, "after") == 0)
            json_array_append_new(member_made(body, "after", json_array()),
                                  option_json(OPTION_WHOLE, line->given[k].value));
}

static void check(struct line *line, struct argp_state *state)
{
    const char *path = line->word[0];

    line->body = json_object();
    if (line->kind)
        make_spec(line, state);
    else if (line->word_count > 1)
        argp_error(state, "'%s' is one argument too many", line->word[1]);
    else
        check_file(line, path);
    set_after(line, line->body);
    options_set_members(line, line->body);
}

/* ---- the request ---- */

static const struct column accepted_fields[] = {
    {"job", "id", NULL, false},
    {"kind", "kind", NULL, false},
    {"state", "state", NULL, false},
    {"jobs before it", "position", NULL, false},
    {"takes about", "estimate_s", print_duration, false},
    {"that rests on", "estimate_basis", NULL, false},
    {"runs", "runs", print_list, false},
    {"spec", "spec", print_compact, false},
    {0},
};

/* Posts the body to the command's path, with its first word as the id. */
static enum exit_status submit(const struct line *line, const json_t *body)
{
    const bool json = option_given(line, "json"), is_dry_run = option_given(line, "dry-run");
    const bool watch = option_given(line, "watch") && !is_dry_run;
    const struct client_call call = {.method = "POST",
                                     .path = line->command->path,
                                     .id = line->word[0],
                                     .body = body,
                                     .wait_s = is_dry_run ? TRY_OUT_S : 0};
    struct client_answer answer;
    char id[24];

    enum exit_status status = client_call(line->client, &call, &answer);
    if (status == EXIT_GOOD && json && !watch)
        puts(answer.text);
    else if (status == EXIT_GOOD && !json)
        print_fields(stdout, accepted_fields, answer.json);
    snprintf(id, sizeof id, "%lld",
             (long long)json_integer_value(json_object_get(answer.json, "id")));
    client_answer_free(&answer);
    if (status == EXIT_GOOD && watch) {
        if (!json)
            putchar('\n');
        fflush(stdout);
        status = watch_job(line, id, WATCH_PATIENCE_S);
    }
    return status;
}

static enum exit_status run(const struct line *line)
{
    if (line->kind)
        return submit(line, line->body);
    json_t *file = options_read_json(line->name, line->word[0]);
    enum exit_status status = EXIT_TROUBLE;
    if (file && !json_is_object(file)) {
        complain(line->name, "%s: a job is an object, {\"kind\":...,\"spec\":{...}}",
                 line->word[0]);
    } else if (file) {
        json_object_update(file, line->body);
        status = submit(line, file);
    }
    json_decref(file);
    return status;
}

/* ---- repeat ---- */

static const struct option_row repeat_options[] = {
    {"seed", "N", "another seed", OPTION_WHOLE, 0, INT64_MAX, .member = "spec.seed"},
    {"set", "FIELD=VALUE", "another value of a field of the spec; may be given several times",
     .type = OPTION_TEXT},
    SUBMIT_EVERY_KIND,
    {0},
};

static void check_repeat(struct line *line, struct argp_state *state)
{
    line->body = json_object();
    for (int k = 0; k < line->givens; k++)
        if (strcmp(line->given[k].row->name, "set") == 0)
            set_pair(state, member_made(line->body, "spec", json_object()), "set",
                     line->given[k].value);
    set_after(line, line->body);
    options_set_members(line, line->body);
}

static enum exit_status repeat(const struct line *line)
{
    return submit(line, line->body);
}

/* ---- the commands ---- */

const struct command submit_commands[] = {
    {"submit", "Add a job of some kind, or one from a file.", WORD_KIND, run,
     .words = "KIND [OPTION...]\nFILE", .prepare = prepare, .look = look, .check = check,
     .path = "/v1/jobs"},
    {"repeat", "Add a job again, as it was or with some other fields.", WORD_JOB, repeat,
     .options = repeat_options, .check = check_repeat, .path = "/v1/jobs/{}/repeat"},
    {0},
};
