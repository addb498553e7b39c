/* rinkctl submit: adds a job. Each option is a row that says which member of the spec it sets. */
#include "service/rinkctl/client.h"
#include "service/rinkctl/options.h"
#include "service/rinkctl/print.h"
#include "service/rinkctl/watch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char about_kinds[] =
    "Add a job: of a kind, with options (submit KIND --help lists them), or as a file."
    "\vKINDs: train, match, tournament, exploitability, diagnose. FILE (\"-\": standard input) is "
    "the "
    "body "
    "of POST /v1/jobs, {\"kind\":...,\"spec\":{...}}. The server checks all values and names those "
    "it refuses. The job is accepted once even where the request has to be sent again.";

enum submit_kind { MATCH = 1, TOURNAMENT = 2, EXPLOITABILITY = 4, DIAGNOSE = 8, TRAIN = 16 };

static const struct kind {
    const char *name, *words, *about;
    enum submit_kind bit;
} kinds[] = {
    {"train", NULL, "Add a job: learn to play, one run for each seed.", TRAIN},
    {"match", NULL, "Add a job: pairs of games between two players.", MATCH},
    {"tournament", "PLAYER PLAYER...", "Add a job: everyone against everyone, and a ladder.",
     TOURNAMENT},
    {"exploitability", NULL, "Add a job: what responders win from a player who does not change.",
     EXPLOITABILITY},
    {"diagnose", NULL, "Add a job: how fast the machine of the service is.", DIAGNOSE},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

enum setter {
    SET_TEXT,
    SET_ELEMENT,       /* a text, one more in a list */
    SET_WHOLE_ELEMENT, /* a number, likewise */
    SET_WHOLE,
    SET_NUMBER,
    SET_OBJECT,
    SET_PAIR,      /* NAME=VALUE, a member of an object */
    SET_CHECKPOINT /* RUN:STEP */
};

/* An option that sets a member of the spec; with a dot it is a member of an object in it. */
static const struct row {
    const char *name, *argument, *member, *help;
    enum setter setter;
    int kinds, group;
} rows[] = {
    {"a", "PLAYER", "a", "the player whose winning percentage is told", SET_TEXT, MATCH, 1},
    {"b", "PLAYER", "b", "the other one", SET_TEXT, MATCH, 1},
    {"player", "PLAYER", "player", "who is measured", SET_TEXT, EXPLOITABILITY, 1},
    {"responder", "RESPONDER", "responders",
     "a player, local or local/PLAYER; may be given several times", SET_ELEMENT, EXPLOITABILITY, 1},
    {"profile", "NAME", "profile", "rules and ice (default dc2)", SET_TEXT,
     MATCH | TOURNAMENT | EXPLOITABILITY | DIAGNOSE | TRAIN, 2},
    {"ends", "N", "ends", "ends of a game, 1..10 (default 2)", SET_WHOLE, MATCH | TOURNAMENT, 2},
    {"extra-ends", "N", "extra_ends", "most extra ends after a tie, 0..10 (default 0)", SET_WHOLE,
     MATCH | TOURNAMENT, 2},
    {"ends", "N", "ends", "ends to be played (default 1000)", SET_WHOLE, EXPLOITABILITY, 2},
    {"selection-ends", "N", "selection_ends", "ends that choose the best responder (default 200)",
     SET_WHOLE, EXPLOITABILITY, 2},
    {"pairs", "N", "pairs", "pairs of games between two players (default 100)", SET_WHOLE,
     MATCH | TOURNAMENT, 2},
    {"seconds", "N", "seconds", "that it measures (default 10)", SET_WHOLE, DIAGNOSE, 2},
    {"simulations", "N", "limits.simulations", "limit of each move: simulated throws", SET_WHOLE,
     MATCH | TOURNAMENT | EXPLOITABILITY, 3},
    {"time-ms", "T", "limits.time_ms", "limit of each move: milliseconds", SET_WHOLE,
     MATCH | TOURNAMENT | EXPLOITABILITY, 3},
    {"sprt", NULL, "sprt", "stop as soon as a sequential test has decided", SET_OBJECT, MATCH, 4},
    {"elo0", "ELO", "sprt.elo0", "difference by its first hypothesis (default 0)", SET_NUMBER,
     MATCH, 4},
    {"elo1", "ELO", "sprt.elo1", "by the second one (default 15)", SET_NUMBER, MATCH, 4},
    {"algorithm", "NAME", "algorithm", "nfsp (default), nfsp-literal, dqn or ppo", SET_TEXT, TRAIN,
     1},
    {"reward", "NAME", "reward", "ser (default), fr or ser-p", SET_TEXT, TRAIN, 1},
    {"iterations", "N", "iterations", "ends of each run (default 20000)", SET_WHOLE, TRAIN, 1},
    {"from", "RUN:STEP", "from", "go on from this checkpoint of a run", SET_CHECKPOINT, TRAIN, 1},
    {"architecture", "NAME", "network.architecture", "lines (default), mlp, set, conv7 or resnet",
     SET_TEXT, TRAIN, 2},
    {"hidden", "N", "network.hidden", "width of a hidden layer; may be given several times",
     SET_WHOLE_ELEMENT, TRAIN, 2},
    {"channels", "N", "network.channels", "of conv7 and resnet (default 32)", SET_WHOLE, TRAIN, 2},
    {"hyper", "NAME=VALUE", "hyper", "a number of the algorithm; may be given several times",
     SET_PAIR, TRAIN, 2},
    {"train-opponent", "PLAYER", "train_opponents",
     "a fixed player to learn against; may be given several times", SET_ELEMENT, TRAIN, 2},
    {"opponent", "PLAYER", "opponents",
     "a player to be measured against; may be given several times (default ai-simple)", SET_ELEMENT,
     TRAIN, 3},
    {"evaluate-every", "N", "evaluate_every", "ends between matches (default 5000)", SET_WHOLE,
     TRAIN, 3},
    {"evaluate-pairs", "N", "evaluate_pairs", "pairs of games of each (default 100)", SET_WHOLE,
     TRAIN, 3},
    {"exploitability-every", "N", "exploitability_every",
     "ends between measurements of it (default 0: never)", SET_WHOLE, TRAIN, 3},
    {"exploitability-ends", "N", "exploitability_ends", "of each, a seat (default 200)", SET_WHOLE,
     TRAIN, 3},
    {"checkpoint-every", "N", "checkpoint_every", "ends between checkpoints (default 2000)",
     SET_WHOLE, TRAIN, 4},
    {"keep-checkpoints", "N", "keep_checkpoints", "of each run (default 3)", SET_WHOLE, TRAIN, 4},
    {"device", "NAME", "device", "auto (default), cpu or cuda", SET_TEXT, TRAIN, 5},
    {"seed", "NUMBER", "seeds", "of a run; may be given several times (default 1)",
     SET_WHOLE_ELEMENT, TRAIN, 5},
    {"threads", "N", "threads", "of a run (default 1)", SET_WHOLE, TRAIN, 5},
    {"seed", "NUMBER", "seed", "of all chance (default 0)", SET_WHOLE,
     MATCH | TOURNAMENT | EXPLOITABILITY | DIAGNOSE, 5},
    {"threads", "N", "threads", "games side by side (default 1)", SET_WHOLE,
     MATCH | TOURNAMENT | EXPLOITABILITY, 5},
};

enum {
    ROWS = sizeof rows / sizeof rows[0],
    TRY_OUT_S = 50, /* that a training may be tried out for its estimate */
    KEY_ROW = 0x400,
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

struct submit_options {
    struct common *common;
    const struct kind *kind; /* NULL: a file */
    const char *path;
    json_t *body, *spec; /* the body owns the spec */
    bool dry_run, watch;
};

/* The object that a member with a dot is in, made if it is not there; *ret_key is its own name. */
static json_t *object_of(json_t *spec, const char *member, const char **ret_key)
{
    const char *dot = strchr(member, '.');

    *ret_key = dot ? dot + 1 : member;
    if (!dot)
        return spec;
    json_t *object = json_object_getn(spec, member, (size_t)(dot - member));
    if (!object) {
        object = json_object();
        json_object_setn_new(spec, member, (size_t)(dot - member), object);
    }
    return object;
}

/* The list or object that is the member, made as `initial` (stolen) if it is not there. */
static json_t *container_of(json_t *spec, const char *member, json_t *initial)
{
    const char *key;
    json_t *object = object_of(spec, member, &key);

    if (!json_object_get(object, key))
        json_object_set(object, key, initial);
    json_decref(initial);
    return json_object_get(object, key);
}

static void set_member(json_t *spec, const char *member, json_t *value)
{
    const char *key;
    json_t *object = object_of(spec, member, &key);

    json_object_set_new(object, key, value);
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

static void set_checkpoint(struct argp_state *state, json_t *spec, const struct row *row,
                           const char *argument)
{
    const char *colon = strchr(argument, ':');

    if (!colon)
        argp_error(state, "--%s: '%s' is not RUN:STEP", row->name, argument);
    else
        set_member(spec, row->member,
                   json_pack("{s:s%, s:I}", "run", argument, (size_t)(colon - argument), "step",
                             (json_int_t)option_whole(state, row->name, colon + 1, 0, INT64_MAX)));
}

static void set_row(struct argp_state *state, json_t *spec, const struct row *row, char *argument)
{
    switch (row->setter) {
    case SET_TEXT:
        set_member(spec, row->member, json_string(argument));
        break;
    case SET_ELEMENT:
        json_array_append_new(container_of(spec, row->member, json_array()), json_string(argument));
        break;
    case SET_WHOLE_ELEMENT:
        json_array_append_new(container_of(spec, row->member, json_array()),
                              json_integer(option_whole(state, row->name, argument, 0, INT64_MAX)));
        break;
    case SET_WHOLE:
        set_member(spec, row->member,
                   json_integer(option_whole(state, row->name, argument, 0, INT64_MAX)));
        break;
    case SET_NUMBER:
        set_member(spec, row->member, json_real(option_number(state, row->name, argument)));
        break;
    case SET_OBJECT:
        container_of(spec, row->member, json_object());
        break;
    case SET_PAIR:
        set_pair(state, container_of(spec, row->member, json_object()), argument);
        break;
    case SET_CHECKPOINT:
        set_checkpoint(state, spec, row, argument);
        break;
    }
}

static void read_word(struct argp_state *state, struct submit_options *options, char *word)
{
    if (options->kind && options->kind->bit == TOURNAMENT)
        set_row(state, options->spec,
                &(const struct row){.member = "players", .setter = SET_ELEMENT}, word);
    else if (options->kind || options->path)
        argp_error(state, "'%s' is one argument too many", word);
    else if (strcmp(word, "-") != 0 && access(word, F_OK) != 0)
        argp_error(state,
                   "'%s' is neither a KIND (train, match, tournament, exploitability, diagnose) "
                   "nor a FILE",
                   word);
    else
        options->path = word;
}

static void check_complete(struct argp_state *state, const struct submit_options *options)
{
    if (!options->kind)
        return;
    switch (options->kind->bit) {
    case MATCH:
        if (!json_object_get(options->spec, "a") || !json_object_get(options->spec, "b"))
            argp_error(state, "two players are needed: --a PLAYER --b PLAYER");
        break;
    case TOURNAMENT:
        if (json_array_size(json_object_get(options->spec, "players")) < 2)
            argp_error(state, "at least two players are needed");
        break;
    case EXPLOITABILITY:
        if (!json_object_get(options->spec, "player"))
            argp_error(state, "--player PLAYER is needed");
        break;
    case DIAGNOSE:
    case TRAIN:
        break;
    }
}

static error_t read_option(int key, char *argument, struct argp_state *state)
{
    struct submit_options *options = state->input;

    if (key >= KEY_ROW && key < KEY_ROW + ROWS) {
        set_row(state, options->spec, &rows[key - KEY_ROW], argument);
        return 0;
    }
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options->common;
        return 0;
    case KEY_PRIORITY:
        json_object_set_new(options->body, "priority",
                            json_integer(option_whole(state, "priority", argument, -1000, 1000)));
        return 0;
    case KEY_DELAY:
        json_object_set_new(options->body, "delay_s",
                            json_real(option_number(state, "delay-s", argument)));
        return 0;
    case KEY_ATTEMPTS:
        json_object_set_new(options->body, "max_attempts",
                            json_integer(option_whole(state, "max-attempts", argument, 1, 100)));
        return 0;
    case KEY_DRY_RUN:
        options->dry_run = true;
        json_object_set_new(options->body, "dry_run", json_true());
        return 0;
    case KEY_WATCH:
        options->watch = true;
        return 0;
    case ARGP_KEY_ARG:
        read_word(state, options, argument);
        return 0;
    case ARGP_KEY_END:
        if (!options->kind && !options->path)
            argp_error(state, "a KIND or a FILE is missing");
        check_complete(state, options);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse(int argc, char **argv, struct submit_options *options)
{
    enum { ALL = sizeof known_all / sizeof known_all[0] };
    static const struct argp_child children[] = {{&common_argp, 0, NULL, 0}, {0}};
    struct argp_option known[ROWS + ALL + 1] = {{0}};
    const struct kind *kind = options->kind;
    int count = 0;

    for (int k = 0; k < ROWS; k++)
        if (kind && (rows[k].kinds & (int)kind->bit))
            known[count++] = (struct argp_option){rows[k].name, KEY_ROW + k,  rows[k].argument, 0,
                                                  rows[k].help, rows[k].group};
    for (int k = 0; k < ALL; k++)
        known[count++] = known_all[k];
    const struct argp argp = {known,
                              read_option,
                              kind ? kind->words : "KIND [OPTION...]\nFILE",
                              kind ? kind->about : about_kinds,
                              children,
                              NULL,
                              NULL};
    if (argp_parse(&argp, argc, argv, 0, NULL, options) != 0)
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
};

static enum exit_status send(struct client *client, const char *command,
                             const struct submit_options *options)
{
    const struct client_call call = {.method = "POST",
                                     .path = "/v1/jobs",
                                     .body = options->body,
                                     .wait_s = options->dry_run ? TRY_OUT_S : 0};
    bool json = options->common->json, watch = options->watch && !options->dry_run;
    struct client_answer answer;
    char id[24];

    enum exit_status status = client_call(client, &call, &answer);
    if (status == EXIT_GOOD && json && !watch)
        status = print_raw(command, answer.text);
    else if (status == EXIT_GOOD && !json)
        print_fields(stdout, accepted_fields, sizeof accepted_fields / sizeof accepted_fields[0],
                     answer.json);
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

/* The body from a file, with what the options say. */
static bool read_file(const char *command, struct submit_options *options)
{
    json_t *file = options_read_json(command, options->path);

    if (!file)
        return false;
    bool good = json_is_object(file);
    if (good)
        json_object_update(file, options->body);
    else
        complain(command, "%s: a job is an object, {\"kind\":...,\"spec\":{...}}", options->path);
    json_decref(options->body);
    options->body = file;
    return good;
}

enum exit_status command_submit(int argc, char **argv, struct common *common)
{
    struct submit_options options = {.common = common, .body = json_object()};
    enum exit_status status = EXIT_TROUBLE;
    char name[300];

    for (int k = 0; argc > 1 && k < KINDS; k++)
        if (strcmp(argv[1], kinds[k].name) == 0)
            options.kind = &kinds[k];
    if (options.kind) {
        options.spec = json_object();
        json_object_set_new(options.body, "kind", json_string(options.kind->name));
        json_object_set_new(options.body, "spec", options.spec);
        snprintf(name, sizeof name, "%s %s", argv[0], argv[1]);
        argv++;
        argc--;
        argv[0] = name;
    }
    parse(argc, argv, &options);
    if (!options.path || read_file(argv[0], &options)) {
        struct client *client = client_open(argv[0], common);
        if (client)
            status = send(client, argv[0], &options);
        client_free(client);
    }
    json_decref(options.body);
    return status;
}
