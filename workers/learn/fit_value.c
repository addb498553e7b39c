/* rink-fit-value: makes the end-value network by fitted value iteration.
 *
 * An end has 16 shots, so its value can be learnt backwards. Before the last shot a position is
 * worth what the best last shot makes of it, which the search (workers/search/rink/rink.h) computes
 * exactly enough; a network is fitted to that. Before the shot before, the search looks one shot
 * ahead and asks that network; and so on to the first shot. Positions come from random play of many
 * styles, and in a further sweep (--from) half of them from play of the network that is there, with
 * a random shot now and then. Each example's target is the distribution of the end's score after
 * the shot that the search chose, measured with errors that the search did not see, since the ones
 * it chose by flatter its choice.
 *
 * With --fallible one seat plays each shot with some probability as a given player would, and else
 * the best one: a network for the other seat, which may hope for mistakes as far as they are made
 * (a restricted Nash response; Johanson, Zinkevich and Bowling, 2007). */
#include "api/clock.h"
#include "api/output.h"
#include "models/game/free_guard_zone.h"
#include "models/networks/weights.h"
#include "models/tables/profiles.h"
#include "workers/learn/values/end_states.h"
#include "workers/learn/values/end_value_fit.h"
#include "workers/option_values.h"
#include "workers/pool.h"
#include "workers/search/player/player.h"
#include "workers/search/rink/rink.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "rink-fit-value " RINKD_VERSION;

struct options {
    const struct rules *rules;
    const char *out, *from;
    long states, simulations, epochs, threads, seed, first, last;
    int fallible; /* seat; -1: none */
    struct player like;
    double share; /* of the fallible seat's shots that are its */
};

enum {
    PLAY_SIMULATIONS = 1000, /* throws a shot in the play that positions are taken from */
    PLAY_RANDOM = 6,         /* … where one shot in so many is random */
    LIKE_STREAM = 1 << 20    /* of random numbers, away from those of the stages and of play */
};

struct labelling {
    const struct options *options;
    const struct ice_profile *ice;
    struct noise noise;
    const struct end_value *network;
    int thrown;
    struct end_value_example *examples;
    /* Further sweeps: position before shot t of end g at [g * POSITION_STONES + t]. */
    struct position *played;
    long ends;
    struct pool *pool;
    atomic_bool failed;
};

static struct player_query query_of(const struct labelling *work, const struct game *game,
                                    struct random_key key, int64_t simulations)
{
    return (struct player_query){.game = game,
                                 .ice = work->ice,
                                 .noise = &work->noise,
                                 .limits = {.simulations = simulations, .threads = 1},
                                 .key = key};
}

static struct rink_settings settings_of(const struct labelling *work)
{
    return (struct rink_settings){.objective = OBJECTIVE_SCORE,
                                  .value = JUDGE_BY_NETWORK,
                                  .network = work->network,
                                  .refined = 3,
                                  .caution = 1.0};
}

/* The best shot by so many throws. */
static bool choose_best(const struct labelling *work, const struct game *game,
                        struct random_key key, int64_t simulations, struct shot *ret_shot)
{
    struct player_query query = query_of(work, game, key, simulations);
    struct rink_settings settings = settings_of(work);
    struct player_answer answer = {0};
    bool good = rink_choose(&settings, &query, &answer) == PLAYER_OK;
    *ret_shot = answer.shot;
    return good;
}

/* The shot of the player that the fallible seat is like. */
static bool choose_like(const struct labelling *work, const struct game *game,
                        struct random_key key, struct shot *ret_shot)
{
    struct player_query query = query_of(work, game, key, 0);
    struct player_answer answer = {0};
    /* Its luck is not that of who decides whether it is its turn. */
    query.key.stream += LIKE_STREAM;
    bool good = player_choose(&work->options->like, &query, &answer) == PLAYER_OK;
    *ret_shot = answer.shot;
    return good;
}

static struct score_distribution measure(const struct labelling *work, const struct game *game,
                                         struct random_key key, struct shot shot)
{
    struct player_query query = query_of(work, game, key, 0);
    struct rink_settings settings = settings_of(work);
    return rink_measure(&settings, &query, shot, RINK_MEASURED_MAX);
}

static bool is_fallible(const struct labelling *work, int shot)
{
    return (shot & 1) == work->options->fallible;
}

/* Plays the end number `index` and keeps its positions. */
static bool play_end(const struct labelling *work, long index)
{
    struct random_key key = {
        .seed = (uint64_t)work->options->seed, .stream = 100, .game = (uint64_t)index};
    struct game game;
    if (game_start(work->options->rules, 1, 0, 1, &game) != GAME_OK)
        return false;
    for (int shot = 0; shot < POSITION_STONES; shot++) {
        work->played[index * POSITION_STONES + shot] = game.position;
        key.shot = (uint32_t)shot;
        key.purpose = RANDOM_CHOICE;
        struct throw_request request = {.ice = work->ice, .before = &game.position, .stone = shot};
        struct throw_result result;
        game.shot = shot;
        if (random_uniform(&key, 0) >= 1.0 / PLAY_RANDOM ||
            !end_state_shot(work->ice, key, &game.position, shot, &request.shot)) {
            bool like = is_fallible(work, shot) && random_uniform(&key, 1) < work->options->share;
            if (like ? !choose_like(work, &game, key, &request.shot)
                     : !choose_best(work, &game, key, PLAY_SIMULATIONS, &request.shot))
                return false;
        }
        key.purpose = RANDOM_EXECUTION;
        request.shot =
            noise_apply(&work->noise, work->ice, request.shot, random_normal_pair(&key, 0));
        if (throw_fast(&request, &result) == THROW_OK)
            free_guard_zone_settle(work->options->rules, &game.position, &result.after, shot,
                                   &game.position);
    }
    return true;
}

static void fail(struct labelling *work)
{
    atomic_store(&work->failed, true);
    pool_stop(work->pool);
}

static void play(void *context, size_t index, int thread)
{
    struct labelling *work = context;
    (void)thread;
    if (!play_end(work, (long)index))
        fail(work);
}

/* The example number `index` of a stage. */
static bool make_example(const struct labelling *work, long index, struct end_value_example *ret)
{
    struct random_key key = {.seed = (uint64_t)work->options->seed,
                             .stream = (uint64_t)work->thrown,
                             .game = (uint64_t)index,
                             .shot = (uint32_t)work->thrown};
    struct game game;

    if (game_start(work->options->rules, 1, 0, 1, &game) != GAME_OK)
        return false;
    if (work->ends > 0 && index % 2 == 0)
        game.position = work->played[index / 2 * POSITION_STONES + work->thrown];
    else
        end_state_random(work->options->rules, work->ice, &work->noise, key, work->thrown,
                         &game.position);
    game.shot = work->thrown;
    double like = is_fallible(work, work->thrown) ? work->options->share : 0.0;
    struct score_distribution best = {{0.0}}, other = {{0.0}};
    struct shot shot;
    if (like < 1.0) {
        if (!choose_best(work, &game, key, work->options->simulations, &shot))
            return false;
        best = measure(work, &game, key, shot);
    }
    if (like > 0.0) {
        if (!choose_like(work, &game, key, &shot))
            return false;
        other = measure(work, &game, key, shot);
    }
    bool gote = work->thrown & 1;
    for (int k = 0; k < END_VALUE_SCORES; k++) {
        int at = gote ? END_VALUE_SCORES - 1 - k : k;
        ret->scores[k] = (float)((1.0 - like) * best.p[at] + like * other.p[at]);
    }
    end_features(&game.position, ret->features);
    return true;
}

static void label(void *context, size_t index, int thread)
{
    struct labelling *work = context;
    (void)thread;
    if (!make_example(work, (long)index, &work->examples[index]))
        fail(work);
}

static bool save(const struct end_value *network, const char *path)
{
    unsigned char *bytes = NULL;
    size_t size;
    char temporary[4096];
    bool good = end_value_write(network, &bytes, &size) == NET_OK &&
                (size_t)snprintf(temporary, sizeof temporary, "%s.part", path) < sizeof temporary;
    FILE *file = good ? fopen(temporary, "wb") : NULL;
    if (file) {
        good = fwrite(bytes, 1, size, file) == size;
        good = fclose(file) == 0 && good;
        good = good && rename(temporary, path) == 0;
    } else {
        good = false;
    }
    free(bytes);
    return good;
}

/* Complains if it cannot be read. */
static bool load(const char *path, struct end_value *ret_network)
{
    struct weights weights;
    char error[WEIGHTS_ERROR_MAX];

    if (!weights_map(path, &weights, error)) {
        fprintf(stderr, "rink-fit-value: --from: %s\n", error);
        return false;
    }
    enum net_status status = end_value_read(weights.bytes, weights.size, ret_network);
    weights_unmap(&weights);
    if (status != NET_OK)
        fprintf(stderr, "rink-fit-value: --from=%s: %s\n", path, net_status_text(status));
    return status == NET_OK;
}

/* Complains if a task failed. */
static bool on_threads(struct labelling *work, long count, pool_task *task)
{
    pool_run(work->pool, (size_t)count, task, work);
    if (atomic_load(&work->failed))
        fprintf(stderr,
                "rink-fit-value: a player could not choose a shot: no memory, or --like cannot "
                "play this\n");
    return !atomic_load(&work->failed);
}

/* Positions of ends that the network plays, for a further sweep. */
static bool play_ends(struct labelling *work)
{
    double start = clock_now_s();

    work->ends = (work->options->states + 1) / 2;
    work->played = malloc((size_t)work->ends * POSITION_STONES * sizeof *work->played);
    if (!work->played) {
        fprintf(stderr, "rink-fit-value: out of memory\n");
        return false;
    }
    if (!on_threads(work, work->ends, play))
        return false;
    printf("%ld ends played; %.0f s\n", work->ends, clock_now_s() - start);
    fflush(stdout);
    return true;
}

/* Labels positions with `thrown` shots thrown, fits the stage to them and saves the network. */
static bool fit_stage(struct labelling *work, int thrown, struct end_value *network)
{
    const struct options *options = work->options;
    struct end_value_stage *stage = &network->stage[thrown - 1];
    struct random_key key = {
        .seed = (uint64_t)options->seed, .stream = (uint64_t)thrown, .purpose = RANDOM_CHOICE};
    struct end_value_fit_report report;
    double start = clock_now_s();

    work->thrown = thrown;
    if (!on_threads(work, options->states, label))
        return false;
    double labelled = clock_now_s();
    if (!options->from) {
        if (thrown < END_VALUE_STAGES)
            *stage = network->stage[thrown]; /* the next stage is a good start */
        else
            end_value_fit_start(&key, stage);
    }
    key.game = 1;
    if (!end_value_fit(work->examples, (size_t)options->states, (int)options->epochs, 2e-3, &key,
                       stage, &report) ||
        !save(network, options->out)) {
        fprintf(stderr, "rink-fit-value: cannot fit or write %s: %s\n", options->out,
                strerror(errno));
        return false;
    }
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
                             .ice = profile_of(options->rules)->ice,
                             .network = &network,
                             .pool = pool_new((int)options->threads),
                             .examples = malloc((size_t)options->states * sizeof *work.examples)};
    bool good = work.pool && work.examples;

    work.noise = noise_default(work.ice, work.ice->noise);
    if (!good)
        fprintf(stderr, "rink-fit-value: out of memory\n");
    if (good && options->from)
        good = load(options->from, &network) && play_ends(&work);
    for (int thrown = (int)options->first; good && thrown >= options->last; thrown--)
        good = fit_stage(&work, thrown, &network);
    pool_free(work.pool);
    free(work.examples);
    free(work.played);
    return good ? 0 : 1;
}

static const struct argp_option known[] = {
    {"profile", 'p', "NAME", 0, "rules and ice: {profiles} (default: the first one)", 0},
    {"out", 'o', "FILE", 0, "where the network goes, after each stage (required)", 0},
    {"from", 'f', "FILE", 0, "start from this network: a further sweep", 0},
    {"states", 'n', "N", 0, "positions a stage (default 40000)", 0},
    {"simulations", 's', "N", 0, "throws by which a position is judged (default 1500)", 0},
    {"epochs", 'e', "N", 0, "passes over them (default 30)", 0},
    {"first", 'a', "STAGE", 0, "shots thrown, begin there (default 15)", 0},
    {"last", 'z', "STAGE", 0, "and end there (default 1)", 0},
    {"fallible", 'F', "SEAT", 0, "sente or gote makes mistakes (default: neither)", 0},
    {"like", 'l', "PLAYER", 0, "… as this player does (default ai-simple)", 0},
    {"share", 'q', "SHARE", 0, "… in this share of its shots (default 0.3)", 0},
    {"seed", 'S', "N", 0, "default 1", 0},
    {"threads", 'j', "N", 0, "default 1", 0},
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'p':
        options->rules = rules_find(text);
        if (!options->rules || options->rules->preplaced)
            argp_error(state, "--profile=%s: no such profile", text);
        return 0;
    case 'o':
        options->out = text;
        return 0;
    case 'f':
        options->from = text;
        return 0;
    case 'n':
        options->states = (long)option_whole(state, "states", text, 100, 10000000);
        return 0;
    case 's':
        options->simulations = (long)option_whole(state, "simulations", text, 100, 10000000);
        return 0;
    case 'e':
        options->epochs = (long)option_whole(state, "epochs", text, 1, 1000);
        return 0;
    case 'a':
        options->first = (long)option_whole(state, "first", text, 1, END_VALUE_STAGES);
        return 0;
    case 'z':
        options->last = (long)option_whole(state, "last", text, 1, END_VALUE_STAGES);
        return 0;
    case 'F':
        if (strcmp(text, "sente") != 0 && strcmp(text, "gote") != 0)
            argp_error(state, "--fallible=%s: neither sente nor gote", text);
        options->fallible = strcmp(text, "gote") == 0;
        return 0;
    case 'l': {
        char why[200];
        if (!player_read(text, &options->like, sizeof why, why))
            argp_error(state, "--like: %s", why);
        return 0;
    }
    case 'q':
        options->share = option_number(state, "share", text, 0.0, 1.0);
        return 0;
    case 'S':
        options->seed = (long)option_whole(state, "seed", text, 0, 1000000000);
        return 0;
    case 'j':
        options->threads = (long)option_whole(state, "threads", text, 1, POOL_THREADS_MAX);
        return 0;
    case ARGP_KEY_END:
        if (!options->out)
            argp_error(state, "--out=FILE is missing");
        if (options->first < options->last)
            argp_error(state,
                       "--first: %ld is before --last, %ld: stages are fitted from the last "
                       "shot backwards",
                       options->first, options->last);
        if (options->first < END_VALUE_STAGES && !options->from)
            argp_error(state,
                       "--first: stages after %ld are taken from a network, --from=FILE is "
                       "missing",
                       options->first);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int count, char **arguments)
{
    struct options options = {.rules = &profile_at(0)->rules,
                              .states = 40000,
                              .simulations = 1500,
                              .epochs = 30,
                              .threads = 1,
                              .seed = 1,
                              .first = END_VALUE_STAGES,
                              .last = 1,
                              .fallible = -1,
                              .share = 0.3};
    char why[200];
    output_check_at_exit();
    player_read("ai-simple", &options.like, sizeof why, why);
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .help_filter = option_help,
        .doc = "Fit the end-value network by value iteration, from the last shot backwards."};
    argp_parse(&argp, count, arguments, 0, NULL, &options);
    return run(&options);
}
