/* rink-fit-value: trains the end-value network by fitted value iteration.
 *
 * Values are learned backwards, from the 16th shot to the first. Before the last shot, the value of
 * a position is that of the best last shot, which the search (workers/search/rink/rink.h) computes
 * accurately; a network is fitted to it. One shot earlier, the search looks one shot ahead and
 * evaluates the result with that network, and so on to the first shot. Positions come from random
 * play in many styles; in a further sweep (--from), half of them come from play by the given
 * network with occasional random shots. The target of an example is the distribution of the end's
 * score after the shot that the search chose. It is measured with fresh execution noise: the
 * samples that led to the choice overestimate it.
 *
 * With --fallible, one seat plays each shot like a given player with some probability, else the
 * best shot. The network then serves the other seat, which counts on these mistakes at that rate (a
 * restricted Nash response; Johanson, Zinkevich and Bowling, 2007). */
#include "api/clock.h"
#include "api/output.h"
#include "models/game/free_guard_zone.h"
#include "models/networks/weights.h"
#include "models/tables/profiles.h"
#include "workers/learn/values/end_states.h"
#include "workers/learn/values/end_value_fit.h"
#include "workers/options.h"
#include "workers/pool.h"
#include "workers/search/player/player.h"
#include "workers/search/rink/rink.h"

#include <errno.h>
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

enum {
    PLAY_SIMULATIONS = 1000, /* throws per shot in the ends that positions come from */
    PLAY_RANDOM = 6,         /* one shot in PLAY_RANDOM of these ends is random */
    LIKE_STREAM = 1 << 20    /* offset of `like`'s random streams from those of stages and ends */
};

struct labelling {
    const struct options *options;
    const struct ice_profile *ice;
    struct noise noise;
    const struct end_value *network;
    int thrown;
    struct end_value_example *examples;
    /* In further sweeps: [g * POSITION_STONES + t] is the position before shot t of end g. */
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
                                  .value.by = JUDGE_BY_NETWORK,
                                  .value.network = work->network,
                                  .refined = 3,
                                  .caution = 1.0};
}

/* Returns the shot that a search with `simulations` throws prefers. */
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

/* Returns the shot of the player that the fallible seat imitates. */
static bool choose_like(const struct labelling *work, const struct game *game,
                        struct random_key key, struct shot *ret_shot)
{
    struct player_query query = query_of(work, game, key, 0);
    struct player_answer answer = {0};
    /* Independent of the draws that decide whether `like` plays this shot. */
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

/* Plays end number `index` and stores its positions. */
static bool play_end(const struct labelling *work, long index)
{
    struct random_key key = {.seed = work->options->seed, .stream = 100, .game = (uint64_t)index};
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

/* Makes example number `index` of the stage. */
static bool make_example(const struct labelling *work, long index, struct end_value_example *ret)
{
    struct random_key key = {.seed = work->options->seed,
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

/* Prints a message on failure. */
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

/* Runs `count` tasks on the pool; prints a message if one failed. */
static bool on_threads(struct labelling *work, long count, pool_task *task)
{
    pool_run(work->pool, (size_t)count, task, work);
    if (atomic_load(&work->failed))
        fprintf(stderr,
                "rink-fit-value: a player could not choose a shot: no memory, or --like cannot "
                "play this\n");
    return !atomic_load(&work->failed);
}

/* Plays ends with the network to get positions for a further sweep. */
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
    if (!on_threads(work, options->states, label))
        return false;
    double labelled = clock_now_s();
    if (!options->from) {
        if (thrown < END_VALUE_STAGES)
            *stage = network->stage[thrown]; /* start from the stage after this one */
        else
            end_value_fit_start(&key, stage);
    }
    key.game = 1;
    if (!end_value_fit(work->examples, (size_t)options->states, options->epochs, 2e-3, &key, stage,
                       &report) ||
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
                             .pool = pool_new(options->threads),
                             .examples = malloc((size_t)options->states * sizeof *work.examples)};
    bool good = work.pool && work.examples;

    work.noise = noise_default(work.ice, work.ice->noise);
    if (!good)
        fprintf(stderr, "rink-fit-value: out of memory\n");
    if (good && options->from)
        good = load(options->from, &network) && play_ends(&work);
    for (int thrown = options->first; good && thrown >= options->last; thrown--)
        good = fit_stage(&work, thrown, &network);
    pool_free(work.pool);
    free(work.examples);
    free(work.played);
    return good ? 0 : 1;
}

static void read_profile(struct argp_state *state, const char *name, void *field)
{
    const struct rules *rules = rules_find(name);

    if (!rules || rules->preplaced)
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
     .about = "where the network goes, after each stage (required)"},
    {"from", 'f', "FILE", OPTION_TEXT, AT(from),
     .about = "start from this network: a further sweep"},
    {"states", 'n', "N", OPTION_INT, AT(states), .least = 100, .most = 10000000,
     .about = "positions a stage (default 40000)"},
    {"simulations", 's', "N", OPTION_INT, AT(simulations), .least = 100, .most = 10000000,
     .about = "throws by which a position is judged (default 1500)"},
    {"epochs", 'e', "N", OPTION_INT, AT(epochs), .least = 1, .most = 1000,
     .about = "passes over them (default 30)"},
    {"first", 'a', "STAGE", OPTION_INT, AT(first), .least = 1, .most = END_VALUE_STAGES,
     .about = "shots thrown, begin there (default 15)"},
    {"last", 'z', "STAGE", OPTION_INT, AT(last), .least = 1, .most = END_VALUE_STAGES,
     .about = "and end there (default 1)"},
    {"fallible", 'F', "SEAT", OPTION_READ, AT(fallible), .read = read_seat,
     .about = "sente or gote makes mistakes (default: neither)"},
    {"like", 'l', "PLAYER", OPTION_READ, AT(like), .read = read_like,
     .about = "… as this player does (default ai-simple)"},
    {"share", 'q', "SHARE", OPTION_NUMBER, AT(share), .most_number = 1.0,
     .about = "… in this share of its shots (default 0.3)"},
    {"seed", 'S', "N", OPTION_UINT64, AT(seed), .most = 1000000000, .about = "default 1"},
    {"threads", 'j', "N", OPTION_INT, AT(threads), .least = 1, .most = POOL_THREADS_MAX,
     .about = "default 1"},
    {0},
};

static void finish(struct argp_state *state, void *target)
{
    const struct options *options = target;

    if (!options->out)
        argp_error(state, "--out=FILE is missing");
    if (options->first < options->last)
        argp_error(state,
                   "--first: %d is before --last, %d: stages are fitted from the last shot "
                   "backwards",
                   options->first, options->last);
    if (options->first < END_VALUE_STAGES && !options->from)
        argp_error(state,
                   "--first: stages after %d are taken from a network, --from=FILE is missing",
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
                              .first = END_VALUE_STAGES,
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
