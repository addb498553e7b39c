/* rink-fit-value: trains the end-value network by fitted value iteration.
 *
 * Values are learned backwards, from the 16th shot to the first. Before the last shot, the value of
 * a position is that of the best last shot, which the search (workers/search/rink/rink.h) computes
 * accurately; a network is fitted to it. One shot earlier, the search looks one shot ahead and
 * evaluates the result with that network, and so on to the first shot. The positions, and the
 * mistakes of --fallible: values/end_value_examples.h. A further sweep starts from a network
 * (--from) and has most of its positions from play by it. */
#include "api/base/clock.h"
#include "api/base/output.h"
#include "models/networks/end_value.h"
#include "models/networks/weights.h"
#include "models/tables/profiles.h"
#include "workers/learn/training/train_file.h"
#include "workers/learn/values/end_value_examples.h"
#include "workers/options.h"
#include "workers/pool.h"

#include <err.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "rink-fit-value " RINKD_VERSION;

struct options {
    const struct rules *rules;
    const char *out, *from;
    int states, simulations, epochs, threads, first, last;
    uint64_t seed;
    int fallible; /* seat; -1: none */
    struct player like;
    double share; /* of the fallible seat's shots: those that `like` chooses */
};

struct labelling {
    const struct options *options;
    struct end_value_maker maker;
    int thrown;
    struct end_value_example *examples;
    struct pool *pool;
    bool (*task)(struct labelling *work, size_t index); /* false: a player failed */
};

static bool play_end(struct labelling *work, size_t index)
{
    return end_value_play_end(&work->maker, index);
}

static bool make_example(struct labelling *work, size_t index)
{
    return end_value_make_example(&work->maker, work->thrown, index, &work->examples[index]);
}

static void run_task(void *context, size_t index, int thread)
{
    struct labelling *work = context;

    (void)thread;
    if (!work->task(work, index))
        pool_stop(work->pool);
}

/* Prints a message on failure. The notes let `rink:values=FILE` play by it. */
static bool save(const struct end_value *network, const struct rules *rules, const char *path)
{
    json_t *notes =
        json_pack("{s:s, s:s}", END_VALUE_NOTE, END_VALUE_VERSION, "profile", rules->name);
    char sha256[TRAIN_SHA256_MAX], error[TRAIN_ERROR_MAX] = "out of memory";
    unsigned char *bytes = NULL;
    size_t size;
    bool good = notes && end_value_write(network, notes, &bytes, &size) == NET_OK &&
                train_file_write_bytes(path, bytes, size, sha256, error) == TRAIN_OK;

    if (!good)
        warnx("%s", error);
    json_decref(notes);
    free(bytes);
    return good;
}

/* Prints a message on failure. */
static bool load(const char *path, struct end_value *ret_network)
{
    struct weights weights;
    char error[WEIGHTS_ERROR_MAX];

    if (!weights_map(path, &weights, error)) {
        warnx("--from: %s", error);
        return false;
    }
    enum net_status status = end_value_read(weights.bytes, weights.size, ret_network);
    weights_unmap(&weights);
    if (status != NET_OK)
        warnx("--from=%s: %s", path, net_status_text(status));
    return status == NET_OK;
}

/* Runs `count` tasks on the pool; prints a message if one failed. */
static bool run_tasks(struct labelling *work, size_t count,
                      bool (*task)(struct labelling *work, size_t index))
{
    work->task = task;
    bool good = pool_run(work->pool, count, run_task, work);
    if (!good)
        warnx("%s", end_value_blame("a player could not choose a shot: no memory, or --like cannot "
                                    "play this"));
    return good;
}

/* Plays ends with the network to get positions for a further sweep. */
static bool play_ends(struct labelling *work)
{
    double start = clock_now_s();

    work->maker.ends = ((size_t)work->options->states + END_VALUE_PER_END - 1) / END_VALUE_PER_END;
    work->maker.played = malloc(work->maker.ends * POSITION_STONES * sizeof *work->maker.played);
    if (!work->maker.played) {
        warnx("out of memory");
        return false;
    }
    if (!run_tasks(work, work->maker.ends, play_end))
        return false;
    printf("%zu ends played; %.0f s\n", work->maker.ends, clock_now_s() - start);
    fflush(stdout);
    return true;
}

/* The stage before the last shot of an end. */
static int last_stage(const struct rules *rules)
{
    return rules->shots - 1;
}

/* Labels positions after `thrown` shots, fits the stage to them and saves the network. */
static bool fit_stage(struct labelling *work, int thrown, struct end_value *network)
{
    const struct options *options = work->options;
    struct end_value_stage *stage = &network->stage[thrown - 1];
    struct random_key key = {
        .seed = options->seed, .stream = (uint64_t)thrown, .purpose = RANDOM_CHOICE};
    struct end_value_fit_report report;
    double start = clock_now_s();

    work->thrown = thrown;
    if (!run_tasks(work, (size_t)options->states, make_example))
        return false;
    double labelled = clock_now_s();
    if (!options->from) {
        if (thrown < last_stage(options->rules))
            *stage = network->stage[thrown]; /* start from the stage after this one */
        else
            end_value_fit_start(&key, stage);
    }
    key.game = 1;
    if (!end_value_fit(work->examples, (size_t)options->states, options->epochs, END_VALUE_RATE,
                       &key, stage, &report)) {
        warnx("out of memory");
        return false;
    }
    if (!save(network, options->rules, options->out))
        return false;
    printf("shots thrown %2d: error %.3f of spread %.3f points, cross-entropy %.3f; "
           "%.0f s labelling, %.0f s fitting\n",
           thrown, report.score_rms, report.score_spread, report.entropy, labelled - start,
           clock_now_s() - labelled);
    fflush(stdout);
    return true;
}

static int run(const struct options *options)
{
    static struct end_value network;
    struct labelling work = {.options = options,
                             .maker = end_value_maker_of(options->rules, &network),
                             .pool = pool_new(options->threads),
                             .examples = malloc((size_t)options->states * sizeof *work.examples)};
    bool good = work.pool && work.examples;

    work.maker.seed = options->seed;
    work.maker.simulations = options->simulations;
    work.maker.fallible = options->fallible;
    work.maker.like = &options->like;
    work.maker.share = options->share;
    if (!good)
        warnx("out of memory");
    if (good && options->from)
        good = load(options->from, &network) && play_ends(&work);
    for (int thrown = options->first; good && thrown >= options->last; thrown--)
        good = fit_stage(&work, thrown, &network);
    pool_free(work.pool);
    free(work.examples);
    free(work.maker.played);
    return good ? 0 : 1;
}

static void read_profile(struct argp_state *state, const char *name, void *field)
{
    const struct rules *rules = rules_find(name);

    if (!rules)
        argp_error(state, "--profile=%s: no such profile", name);
    *(const struct rules **)field = rules;
}

static void read_seat(struct argp_state *state, const char *text, void *field)
{
    if (strcmp(text, "sente") != 0 && strcmp(text, "gote") != 0)
        argp_error(state, "--fallible=%s: neither sente nor gote", text);
    *(int *)field = strcmp(text, "gote") == 0 ? SEAT_GOTE : SEAT_SENTE;
}

static void read_like(struct argp_state *state, const char *text, void *field)
{
    char why[PLAYER_ERROR_MAX];

    if (!player_read(text, field, sizeof why, why))
        argp_error(state, "--like: %s", why);
}

#define AT(field) offsetof(struct options, field)

static const struct option_row rows[] = {
    {"profile", 'p', "NAME", OPTION_READ, AT(rules), .read = read_profile,
     .about = "rules and ice: {profiles} (default: the first one)"},
    {"out", 'o', "FILE", OPTION_TEXT, AT(out),
     .about = "file for the network, written after each stage (required)"},
    {"from", 'f', "FILE", OPTION_TEXT, AT(from),
     .about = "start from this network: a further sweep"},
    {"states", 'n', "N", OPTION_INT, AT(states), .least = 100, .most = 10000000,
     .about = "positions per stage (default {default})"},
    {"simulations", 's', "N", OPTION_INT, AT(simulations), .least = 100, .most = 10000000,
     .about = "simulated throws per position (default {default})"},
    {"epochs", 'e', "N", OPTION_INT, AT(epochs), .least = 1, .most = 1000,
     .about = "passes over the positions (default {default})"},
    {"first", 'a', "STAGE", OPTION_INT, AT(first), .least = 1, .most = END_VALUE_STAGES,
     .about = "first stage, in shots thrown (default: before the last shot)"},
    {"last", 'z', "STAGE", OPTION_INT, AT(last), .least = 1, .most = END_VALUE_STAGES,
     .about = "last stage, in shots thrown (default {default})"},
    {"fallible", 'F', "SEAT", OPTION_READ, AT(fallible), .read = read_seat,
     .about = "seat that makes mistakes, sente or gote (default: none)"},
    {"like", 'l', "PLAYER", OPTION_READ, AT(like), .read = read_like,
     .about = "player whose shots are the mistakes (default ai-simple)"},
    {"share", 'q', "SHARE", OPTION_NUMBER, AT(share), .most_number = 1.0,
     .about = "share of the seat's shots that are mistakes (default {default})"},
    {"seed", 'S', "N", OPTION_UINT64, AT(seed), .most = 1000000000,
     .about = "seed of all random numbers (default {default})"},
    {"threads", 'j', "N", OPTION_INT, AT(threads), .least = 1, .most = POOL_THREADS_MAX,
     .about = "threads (default {default})"},
    {0},
};

static void finish(struct argp_state *state, void *target)
{
    struct options *options = target;

    if (!options->out)
        argp_error(state, "--out=FILE is missing");
    const int most = last_stage(options->rules);
    if (options->first == 0)
        options->first = most;
    if (options->first > most)
        argp_error(state, "--first: %d, but an end of %s has %d shots", options->first,
                   options->rules->name, options->rules->shots);
    if (options->first < options->last)
        argp_error(state,
                   "--first: %d is before --last, %d: stages are fitted from the last shot "
                   "backwards",
                   options->first, options->last);
    if (options->first < most && !options->from)
        argp_error(state,
                   "--first: stages after %d come from a network, but --from=FILE is missing",
                   options->first);
}

int main(int count, char **arguments)
{
    struct options options = {.rules = &profile_at(0)->rules,
                              .states = 40000,
                              .simulations = 1500,
                              .epochs = 30,
                              .threads = 1,
                              .seed = 1,
                              .last = 1,
                              .fallible = -1,
                              .share = 0.3};
    char why[200];
    output_check_at_exit();
    player_read("ai-simple", &options.like, sizeof why, why);
    const struct option_parser parser = {
        .about = "Fit the end-value network by value iteration, from the last shot backwards.",
        .tables = {{rows, &options, finish, NULL}}};
    if (!options_parse(&parser, count, arguments))
        return 1;
    return run(&options);
}
