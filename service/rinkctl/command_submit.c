/* rinkctl submit: adds a job of a kind with options (submit_options.h), or one from a file. */
#include "service/rinkctl/client.h"
#include "service/rinkctl/options.h"
#include "service/rinkctl/print.h"
#include "service/rinkctl/submit_options.h"
#include "service/rinkctl/watch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TRY_OUT_S = 50, /* time for trying out a job for its estimate */
    ABOUT_MAX = 1024,
    GROUP_NEEDED = 1,
    GROUP_OTHERS,
    KEY_FIELD = 0x400, /* and the index of an option of the kind */
    KEY_PRIORITY = 0x300,
    KEY_DELAY,
    KEY_ATTEMPTS,
    KEY_DRY_RUN,
    KEY_WATCH
};

static const struct argp_option known_all[] = {
    {"priority", KEY_PRIORITY, "N", 0, "smaller is earlier (default 0)", 6},
    {"delay-s", KEY_DELAY, "S", 0, "seconds before it may start", 6},
    {"max-attempts", KEY_ATTEMPTS, "N", 0, "attempts before it is buried", 6},
    {"dry-run", KEY_DRY_RUN, NULL, 0, "only check it and tell how long it may take", 7},
    {"watch", KEY_WATCH, NULL, 0, "follow it to its end", 7},
};

struct submission {
    struct common *common;
    const struct job_kind *kind; /* NULL: the job is in a file */
    struct submit_option known[SUBMIT_OPTIONS_MAX];
    int known_count;
    const char *path;
    json_t *body, *spec; /* the body owns the spec */
    bool dry_run, watch;
};

/* ---- setting members of the spec ---- */

/* Returns the member of an object; if it is missing, makes it from `initial` (stolen). */
static json_t *member_made(json_t *object, const char *key, json_t *initial)
{
    if (!json_object_get(object, key))
        json_object_set(object, key, initial);
    json_decref(initial);
    return json_object_get(object, key);
}

/* Reads a word of the command line as a value; the server checks its range. */
static json_t *read_value(struct argp_state *state, const char *option, const struct field *field,
                          const char *text)
{
    int64_t least = field->whole.least < 0 ? -INT64_MAX : 0;

    switch (field->type) {
    case FIELD_WHOLE:
    case FIELD_WHOLES:
        return json_integer(option_whole(state, option, text, least, INT64_MAX));
    case FIELD_NUMBER:
        return json_real(option_number(state, option, text));
    default:
        return json_string(text);
    }
}

static void set_pair(struct argp_state *state, json_t *object, const char *pair)
{
    const char *equals = strchr(pair, '=');

    if (!equals || equals == pair || !equals[1])
        argp_error(state, "'%s' is not NAME=VALUE", pair);
    else {
        json_t *number = json_loads(equals + 1, JSON_DECODE_ANY, NULL);
        json_object_setn_new(object, pair, (size_t)(equals - pair),
                             number ? number : json_string(equals + 1));
    }
}

static void set_joined(struct argp_state *state, json_t *object, const struct submit_option *option,
                       const char *argument)
{
    char *copy = strdup(argument), *rest = copy;

    for (const struct field *member = option->field->fields; copy && member->name; member++) {
        const char *word = strsep(&rest, ":");
        if (!word || (rest && !member[1].name))
            argp_error(state, "--%s: '%s' is not %s", option->name, argument, option->argument);
        else
            json_object_set_new(object, member->name,
                                read_value(state, option->name, member, word));
    }
    free(copy);
}

static void set_option(struct argp_state *state, json_t *spec, const struct submit_option *option,
                       const char *argument)
{
    json_t *object = option->object ? member_made(spec, option->object, json_object()) : spec;
    const char *key = option->field->name;

    switch (option->setter) {
    case SUBMIT_VALUE:
        json_object_set_new(object, key, read_value(state, option->name, option->field, argument));
        break;
    case SUBMIT_ELEMENT:
        json_array_append_new(member_made(object, key, json_array()),
                              read_value(state, option->name, option->field, argument));
        break;
    case SUBMIT_OBJECT:
        member_made(object, key, json_object());
        break;
    case SUBMIT_JOINED:
        set_joined(state, member_made(object, key, json_object()), option, argument);
        break;
    case SUBMIT_PAIR:
        set_pair(state, member_made(object, key, json_object()), argument);
        break;
    }
}

/* ---- the command line ---- */

static void read_word(struct argp_state *state, struct submission *submission, char *word)
{
    const struct field *words = submission->kind ? submit_words(submission->kind) : NULL;
    char names[JOB_KIND_NAMES_MAX];

    if (words)
        json_array_append_new(member_made(submission->spec, words->name, json_array()),
                              read_value(state, words->name, words, word));
    else if (submission->kind || submission->path)
        argp_error(state, "'%s' is one argument too many", word);
    else if (strcmp(word, "-") != 0 && access(word, F_OK) != 0)
        argp_error(state, "'%s' is neither a KIND (%s) nor a FILE", word,
                   job_kind_names(false, names));
    else
        submission->path = word;
}

static void check_complete(struct argp_state *state, const struct submission *submission)
{
    const struct field *words = submit_words(submission->kind);

    if (words &&
        json_array_size(json_object_get(submission->spec, words->name)) < words->list.least)
        argp_error(state, "at least %zu %s are needed", words->list.least, words->name);
    for (int k = 0; k < submission->known_count; k++) {
        const struct submit_option *option = &submission->known[k];
        if (option->field->absent == FIELD_NEEDED && !option->object &&
            !json_object_get(submission->spec, option->field->name))
            argp_error(state, "--%s=%s is needed", option->name, option->argument);
    }
}

static error_t read_option(int key, char *argument, struct argp_state *state)
{
    struct submission *submission = state->input;

    if (key >= KEY_FIELD && key < KEY_FIELD + submission->known_count) {
        set_option(state, submission->spec, &submission->known[key - KEY_FIELD], argument);
        return 0;
    }
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = submission->common;
        return 0;
    case KEY_PRIORITY:
        json_object_set_new(submission->body, "priority",
                            json_integer(option_whole(state, "priority", argument, -1000, 1000)));
        return 0;
    case KEY_DELAY:
        json_object_set_new(submission->body, "delay_s",
                            json_real(option_number(state, "delay-s", argument)));
        return 0;
    case KEY_ATTEMPTS:
        json_object_set_new(submission->body, "max_attempts",
                            json_integer(option_whole(state, "max-attempts", argument, 1, 100)));
        return 0;
    case KEY_DRY_RUN:
        submission->dry_run = true;
        json_object_set_new(submission->body, "dry_run", json_true());
        return 0;
    case KEY_WATCH:
        submission->watch = true;
        return 0;
    case ARGP_KEY_ARG:
        read_word(state, submission, argument);
        return 0;
    case ARGP_KEY_END:
        if (!submission->kind && !submission->path)
            argp_error(state, "a KIND or a FILE is missing");
        if (submission->kind)
            check_complete(state, submission);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void write_about(const struct submission *submission, char ret_about[ABOUT_MAX])
{
    char names[JOB_KIND_NAMES_MAX];

    if (submission->kind)
        snprintf(ret_about, ABOUT_MAX, "Add a job. %s.", submission->kind->about);
    else
        snprintf(ret_about, ABOUT_MAX,
                 "Add a job: of a kind, with options (submit KIND --help lists them), or as a file."
                 "\vKINDs: %s. FILE (\"-\": standard input) is the body of POST /v1/jobs, "
                 "{\"kind\":...,\"spec\":{...}}. The server checks all values and names those it "
                 "refuses. The job is accepted once even where the request has to be sent again.",
                 job_kind_names(false, names));
}

static void parse(int argc, char **argv, struct submission *submission)
{
    enum { ALL = sizeof known_all / sizeof known_all[0] };
    static const struct argp_child children[] = {{&common_argp, 0, NULL, 0}, {0}};
    struct argp_option known[SUBMIT_OPTIONS_MAX + ALL + 1] = {{0}};
    const struct job_kind *kind = submission->kind;
    char about[ABOUT_MAX];
    int count = 0;

    submission->known_count = kind ? submit_options(kind, submission->known) : 0;
    for (int k = 0; k < submission->known_count; k++) {
        const struct submit_option *option = &submission->known[k];
        known[count++] = (struct argp_option){option->name,
                                              KEY_FIELD + k,
                                              *option->argument ? option->argument : NULL,
                                              0,
                                              option->help,
                                              option->field->absent == FIELD_NEEDED ? GROUP_NEEDED
                                                                                    : GROUP_OTHERS};
    }
    for (int k = 0; k < ALL; k++)
        known[count++] = known_all[k];
    write_about(submission, about);
    const struct argp argp = {
        known,
        read_option,
        !kind ? "KIND [OPTION...]\nFILE" : submit_words(kind) ? "PLAYER..." : NULL,
        about,
        children,
        NULL,
        NULL};
    if (argp_parse(&argp, argc, argv, 0, NULL, submission) != 0)
        exit(EXIT_TROUBLE);
}

static const struct column accepted_fields[] = {
    {"job", "id", NULL, false},
    {"kind", "kind", NULL, false},
    {"state", "state", NULL, false},
    {"jobs before it", "position", NULL, false},
    {"takes about", "estimate_s", print_duration, false},
    {"runs", "runs", print_list, false},
    {"spec", "spec", print_compact, false},
    {0},
};

static enum exit_status send(struct client *client, const char *command,
                             const struct submission *submission)
{
    const struct client_call call = {.method = "POST",
                                     .path = "/v1/jobs",
                                     .body = submission->body,
                                     .wait_s = submission->dry_run ? TRY_OUT_S : 0};
    bool json = submission->common->json, watch = submission->watch && !submission->dry_run;
    struct client_answer answer;
    char id[24];

    enum exit_status status = client_call(client, &call, &answer);
    if (status == EXIT_GOOD && json && !watch)
        status = print_raw(command, answer.text);
    else if (status == EXIT_GOOD && !json)
        print_fields(stdout, accepted_fields, answer.json);
    snprintf(id, sizeof id, "%lld",
             (long long)json_integer_value(json_object_get(answer.json, "id")));
    client_answer_free(&answer);
    if (status == EXIT_GOOD && watch) {
        if (!json)
            putchar('\n');
        fflush(stdout);
        status = watch_job(client, command, id, WATCH_PATIENCE_S, json);
    }
    return status;
}

/* Reads the body from a file, and adds the options. */
static bool read_file(const char *command, struct submission *submission)
{
    json_t *file = options_read_json(command, submission->path);

    if (!file)
        return false;
    bool good = json_is_object(file);
    if (good)
        json_object_update(file, submission->body);
    else
        complain(command, "%s: a job is an object, {\"kind\":...,\"spec\":{...}}",
                 submission->path);
    json_decref(submission->body);
    submission->body = file;
    return good;
}

enum exit_status command_submit(int argc, char **argv, struct common *common)
{
    struct submission submission = {.common = common, .body = json_object()};
    enum exit_status status = EXIT_TROUBLE;
    char name[300];

    submission.kind = job_kind_find(argv[1]);
    if (submission.kind && submission.kind->is_internal)
        submission.kind = NULL;
    if (submission.kind) {
        submission.spec = json_object();
        json_object_set_new(submission.body, "kind", json_string(submission.kind->name));
        json_object_set_new(submission.body, "spec", submission.spec);
        snprintf(name, sizeof name, "%s %s", argv[0], argv[1]);
        argv++;
        argc--;
        argv[0] = name;
    }
    parse(argc, argv, &submission);
    if (!submission.path || read_file(argv[0], &submission)) {
        struct client *client = client_open(argv[0], common);
        if (client)
            status = send(client, argv[0], &submission);
        client_free(client);
    }
    json_decref(submission.body);
    return status;
}
