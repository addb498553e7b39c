/* Games that go on side by side. */
#include "workers/learn/algorithms/tables.h"

#include "workers/learn/algorithms/choosing.h"
#include "workers/learn/algorithms/run_networks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLAYED_BY_NETWORK = -1, RECENT_GAMES = 1000 };

/* What belongs to a seat is told by [2]. */
struct table {
    uint64_t number; /* of the game at this table, from 0 */
    int32_t decisions;
    int32_t player[2]; /* PLAYED_BY_NETWORK, or the number of the program */
    int32_t kept[2];   /* decisions of networks */
    int32_t decided;   /* see tables_decided() */
    int32_t over;
    int32_t unused; /* no padding: tables are written as they are */
};

/* Room for the work on a slice. */
struct slice {
    float *inputs, *outputs; /* [TABLES_A_SLICE][…] */
    double play_s, network_s;
    const char *failure; /* NULL: none */
};

/* A thread's own networks. */
struct place {
    struct net *net[2];
};

struct tables {
    struct tables_settings settings;
    uint64_t seed;
    struct pool *pool;
    int slices, places;
    struct slice *slice;
    struct place *place; /* the first one has the run's own networks */
    bool copied;         /* the others have copies of the networks of … */
    uint64_t version;

    struct table *table;          /* [parallel] */
    unsigned char *states;        /* [parallel][state_size] */
    struct tables_decision *kept; /* [parallel][2][decisions_max] */
    unsigned char *observations;  /* [parallel][2][decisions_max][observation_size] */
    uint64_t games, decisions;
    uint64_t rewarded[2]; /* games of a seat's network that are over */
    double reward[2];     /* mean over the last ones of them, older ones fading */
};

/* --- draws --- */

/* The key of a table before its next decision. */
static struct random_key table_key(const struct tables *tables, int table)
{
    return (struct random_key){.seed = tables->seed,
                               .stream = (uint64_t)table,
                               .game = tables->table[table].number,
                               .shot = (uint32_t)tables->table[table].decisions,
                               .purpose = RANDOM_CHOICE};
}

static unsigned char *state_of(const struct tables *tables, int table)
{
    return tables->states + (size_t)table * tables->settings.game->state_size;
}

static void begin_game(struct tables *tables, int table)
{
    const struct learner_game *game = tables->settings.game;
    struct table *t = &tables->table[table];
    uint64_t bits[4];

    *t = (struct table){
        .number = t->number, .player = {PLAYED_BY_NETWORK, PLAYED_BY_NETWORK}, .decided = -1};
    /* Shot numbers of decisions are lower than this one. */
    struct random_key key = table_key(tables, table);
    key.shot = UINT32_MAX;
    random_bits(&key, 0, 0, bits);
    if (random_unit(bits[0]) >= tables->settings.self_share)
        t->player[pick_number(bits[1], 2)] = (int32_t)pick_number(bits[2], (size_t)game->opponents);
    game->start(game, &key, state_of(tables, table));
}

/* --- making and freeing --- */

static bool make_places(struct tables *tables, char *ret_error)
{
    const struct tables_settings *settings = &tables->settings;
    for (int k = 1; k < tables->places; k++)
        for (int seat = 0; seat < 2; seat++)
            if (!run_network_new(settings->game, settings->common, seat, settings->outputs,
                                 &tables->place[k].net[seat], ret_error))
                return false;
    return true;
}

static bool make_room(struct tables *tables)
{
    const struct learner_game *game = tables->settings.game;
    size_t parallel = (size_t)tables->settings.parallel;
    size_t kept = 2 * parallel * (size_t)game->decisions_max;

    if (!(tables->pool = pool_new(tables->places)) ||
        !(tables->slice = calloc((size_t)tables->slices, sizeof *tables->slice)) ||
        !(tables->place = calloc((size_t)tables->places, sizeof *tables->place)) ||
        !(tables->table = calloc(parallel, sizeof *tables->table)) ||
        !(tables->states = calloc(parallel, game->state_size)) ||
        !(tables->kept = calloc(kept, sizeof *tables->kept)) ||
        !(tables->observations = calloc(kept, game->observation_size)))
        return false;
    for (int k = 0; k < tables->slices; k++) {
        struct slice *slice = &tables->slice[k];
        if (!(slice->inputs =
                  calloc(TABLES_A_SLICE * (size_t)game->inputs, sizeof *slice->inputs)) ||
            !(slice->outputs = calloc(TABLES_A_SLICE * (size_t)tables->settings.outputs,
                                      sizeof *slice->outputs)))
            return false;
    }
    return true;
}

struct tables *tables_new(const struct tables_settings *settings, char ret_error[LEARNER_ERROR_MAX])
{
    if (settings->self_share < 1.0 && settings->game->opponents < 1) {
        snprintf(ret_error, LEARNER_ERROR_MAX,
                 "self_share: %g, but there are no opponents to train against",
                 settings->self_share);
        return NULL;
    }
    struct tables *tables = calloc(1, sizeof *tables);
    if (tables) {
        int threads = settings->common->threads > 1 ? settings->common->threads : 1;
        tables->settings = *settings;
        tables->seed = settings->common->seed;
        tables->slices = (settings->parallel + TABLES_A_SLICE - 1) / TABLES_A_SLICE;
        /* Two if there is only one slice: the seats learn side by side. */
        int useful = tables->slices > 2 ? tables->slices : 2;
        tables->places = threads < useful ? threads : useful;
    }
    if (!tables || !make_room(tables)) {
        tables_free(tables);
        snprintf(ret_error, LEARNER_ERROR_MAX, "tables: no memory");
        return NULL;
    }
    if (!make_places(tables, ret_error)) {
        tables_free(tables);
        return NULL;
    }
    for (int table = 0; table < settings->parallel; table++)
        begin_game(tables, table);
    return tables;
}

void tables_free(struct tables *tables)
{
    if (!tables)
        return;
    pool_free(tables->pool);
    for (int k = 0; k < tables->slices && tables->slice; k++) {
        free(tables->slice[k].inputs);
        free(tables->slice[k].outputs);
    }
    for (int k = 1; k < tables->places && tables->place; k++)
        for (int seat = 0; seat < 2; seat++)
            net_free(tables->place[k].net[seat]);
    free(tables->slice);
    free(tables->place);
    free(tables->table);
    free(tables->states);
    free(tables->kept);
    free(tables->observations);
    free(tables);
}

struct pool *tables_pool(struct tables *tables)
{
    return tables->pool;
}

/* --- playing --- */

static size_t kept_at(const struct tables *tables, int table, int seat, int number)
{
    return ((size_t)table * 2 + (size_t)seat) * (size_t)tables->settings.game->decisions_max +
           (size_t)number;
}

static unsigned char *observation_at(const struct tables *tables, size_t at)
{
    return tables->observations + at * tables->settings.game->observation_size;
}

/* The mover's action, or what a program does in its place, with the rewards that follow. */
static bool play(struct tables *tables, int table, int seat, int action,
                 const struct random_key *key)
{
    const struct learner_game *game = tables->settings.game;
    struct table *t = &tables->table[table];
    unsigned char *state = state_of(tables, table);
    _Alignas(16) unsigned char before[LEARNER_BYTES_MAX];

    memcpy(before, state, game->state_size);
    bool good = t->player[seat] == PLAYED_BY_NETWORK
                    ? game->play(game, state, action, key)
                    : game->opponent_play(game, t->player[seat], state, key);
    for (int k = 0; good && k < 2; k++)
        if (t->kept[k] > 0)
            tables->kept[kept_at(tables, table, k, t->kept[k] - 1)].reward +=
                game->reward(game, before, state, k);
    t->decisions++;
    t->over = good && game->mover(game, state) < 0;
    return good;
}

struct step {
    struct tables *tables;
    tables_choice *choose;
    const void *context;
};

/* The tables of a slice whose mover is this seat's network: asks it and plays. */
static bool play_seat(const struct step *step, struct slice *slice, struct net *net, int seat,
                      const int *table, int count)
{
    struct tables *tables = step->tables;
    const struct learner_game *game = tables->settings.game;
    double start = pool_thread_s();
    bool legal[LEARNER_ACTIONS_MAX];

    for (int row = 0; row < count; row++) {
        struct table *t = &tables->table[table[row]];
        size_t at = kept_at(tables, table[row], seat, t->kept[seat]++);
        memset(&tables->kept[at], 0, sizeof tables->kept[at]);
        game->observe(game, state_of(tables, table[row]), observation_at(tables, at));
        game->fill_inputs(game, observation_at(tables, at),
                          slice->inputs + (size_t)row * (size_t)game->inputs);
        t->decided = seat;
    }
    double asked = pool_thread_s();
    enum net_status status = net_evaluate(net, count, slice->inputs, slice->outputs);
    double answered = pool_thread_s();
    if (status != NET_OK) {
        slice->failure = net_status_text(status);
        return false;
    }
    for (int row = 0; row < count; row++) {
        size_t at = kept_at(tables, table[row], seat, tables->table[table[row]].kept[seat] - 1);
        struct tables_decision *decision = &tables->kept[at];
        struct random_key key = table_key(tables, table[row]);
        game->legal(game, observation_at(tables, at), legal);
        decision->action = step->choose(
            step->context, slice->outputs + (size_t)row * (size_t)tables->settings.outputs, legal,
            &key, decision->notes);
        if (!play(tables, table[row], seat, decision->action, &key)) {
            slice->failure = "an action could not be played out";
            return false;
        }
    }
    slice->network_s += answered - asked;
    slice->play_s += asked - start + pool_thread_s() - answered;
    return true;
}

/* The first of a slice's tables that a program plays at: one after the other. */
static bool play_programs(struct tables *tables, struct slice *slice, int first, int end)
{
    const struct learner_game *game = tables->settings.game;
    double start = pool_thread_s();
    for (int table = first; table < end; table++) {
        struct table *t = &tables->table[table];
        int seat = game->mover(game, state_of(tables, table));
        if (t->player[seat] == PLAYED_BY_NETWORK)
            continue;
        struct random_key key = table_key(tables, table);
        if (!play(tables, table, seat, -1, &key)) {
            slice->failure = "an opponent could not play";
            return false;
        }
    }
    slice->play_s += pool_thread_s() - start;
    return true;
}

static void play_slice(void *context, size_t index, int thread)
{
    const struct step *step = context;
    struct tables *tables = step->tables;
    const struct learner_game *game = tables->settings.game;
    struct slice *slice = &tables->slice[index];
    int first = (int)index * TABLES_A_SLICE, end = first + TABLES_A_SLICE;
    int waiting[2][TABLES_A_SLICE], count[2] = {0, 0};

    if (end > tables->settings.parallel)
        end = tables->settings.parallel;
    slice->failure = NULL;
    for (int table = first; table < end; table++) {
        struct table *t = &tables->table[table];
        if (t->over) {
            t->number++;
            begin_game(tables, table);
        }
        t->decided = -1;
        int seat = game->mover(game, state_of(tables, table));
        if (t->player[seat] == PLAYED_BY_NETWORK)
            waiting[seat][count[seat]++] = table;
    }
    if (!play_programs(tables, slice, first, end))
        return;
    const struct place *place = &tables->place[thread];
    for (int seat = 0; seat < 2; seat++)
        if (!play_seat(step, slice, place->net[seat], seat, waiting[seat], count[seat]))
            break;
}

static void count_games(struct tables *tables)
{
    for (int table = 0; table < tables->settings.parallel; table++) {
        const struct table *t = &tables->table[table];
        tables->games += t->over != 0;
        for (int seat = 0; seat < 2 && t->over; seat++) {
            if (t->player[seat] != PLAYED_BY_NETWORK)
                continue;
            double sum = 0.0;
            for (int k = 0; k < t->kept[seat]; k++)
                sum += tables->kept[kept_at(tables, table, seat, k)].reward;
            double weight = (double)++tables->rewarded[seat];
            tables->reward[seat] += (sum - tables->reward[seat]) / fmin(weight, RECENT_GAMES);
        }
    }
    tables->decisions += (uint64_t)tables->settings.parallel;
}

bool tables_step(struct tables *tables, struct net *const net[2], uint64_t version,
                 tables_choice *choose, const void *context, char ret_error[LEARNER_ERROR_MAX])
{
    struct step step = {tables, choose, context};
    memcpy(tables->place[0].net, net, sizeof tables->place[0].net);
    for (int k = 1; k < tables->places && (!tables->copied || tables->version != version); k++)
        for (int seat = 0; seat < 2; seat++) {
            enum net_status status =
                net_copy_first_outputs(net[seat], tables->place[k].net[seat]); /* all of them */
            if (status != NET_OK)
                return run_network_is_good(status, "network", ret_error);
        }
    tables->copied = true;
    tables->version = version;

    pool_run(tables->pool, (size_t)tables->slices, play_slice, &step);
    for (int k = 0; k < tables->slices; k++)
        if (tables->slice[k].failure) {
            snprintf(ret_error, LEARNER_ERROR_MAX, "%s: %s", tables->settings.game->name,
                     tables->slice[k].failure);
            return false;
        }
    count_games(tables);
    return true;
}

/* --- what happened --- */

int tables_decided(const struct tables *tables, int table)
{
    return tables->table[table].decided;
}

bool tables_over(const struct tables *tables, int table)
{
    return tables->table[table].over;
}

int tables_decisions(const struct tables *tables, int table, int seat)
{
    return tables->table[table].kept[seat];
}

const struct tables_decision *tables_decision(const struct tables *tables, int table, int seat,
                                              int number)
{
    return &tables->kept[kept_at(tables, table, seat, number)];
}

const void *tables_observation(const struct tables *tables, int table, int seat, int number)
{
    return observation_at(tables, kept_at(tables, table, seat, number));
}

void tables_report(const struct tables *tables, struct learner_report *ret_report)
{
    ret_report->games = tables->games;
    ret_report->decisions = ret_report->throws = tables->decisions;
    for (int seat = 0; seat < 2; seat++)
        ret_report->reward[seat] = tables->rewarded[seat] ? tables->reward[seat] : (double)NAN;
    for (int k = 0; k < tables->slices; k++) {
        ret_report->play_s += tables->slice[k].play_s;
        ret_report->network_s += tables->slice[k].network_s;
    }
}

/* --- files --- */

struct sums {
    uint64_t games, decisions, rewarded[2];
    double reward[2];
};

/* The arrays that say how the games stand. */
enum { ARRAYS = 4 };
static void arrays_of(const struct tables *tables, void *ret_data[ARRAYS], size_t ret_bytes[ARRAYS])
{
    const struct learner_game *game = tables->settings.game;
    size_t parallel = (size_t)tables->settings.parallel;
    size_t kept = 2 * parallel * (size_t)game->decisions_max;
    void *data[ARRAYS] = {tables->table, tables->states, tables->kept, tables->observations};
    size_t bytes[ARRAYS] = {parallel * sizeof *tables->table, parallel * game->state_size,
                            kept * sizeof *tables->kept, kept * game->observation_size};
    memcpy(ret_data, data, sizeof data);
    memcpy(ret_bytes, bytes, sizeof bytes);
}

bool tables_write(const struct tables *tables, FILE *file)
{
    struct sums sums = {tables->games,
                        tables->decisions,
                        {tables->rewarded[0], tables->rewarded[1]},
                        {tables->reward[0], tables->reward[1]}};
    void *data[ARRAYS];
    size_t bytes[ARRAYS];
    arrays_of(tables, data, bytes);
    bool good = fwrite(&sums, sizeof sums, 1, file) == 1;
    for (int k = 0; good && k < ARRAYS; k++)
        good = fwrite(data[k], 1, bytes[k], file) == bytes[k];
    return good;
}

/* Numbers by which arrays are looked up have to be in range. Observations and states in a file are
 * trusted: who reads a file has checked its hash. */
static bool table_is_good(const struct tables *tables, int table)
{
    const struct learner_game *game = tables->settings.game;
    const struct table *t = &tables->table[table];
    bool good = t->decisions >= 0 && t->decisions <= game->decisions_max && t->decided >= -1 &&
                t->decided <= 1 && (t->over == 0 || t->over == 1);
    for (int seat = 0; seat < 2 && good; seat++) {
        good = t->player[seat] >= PLAYED_BY_NETWORK && t->player[seat] < game->opponents &&
               t->kept[seat] >= 0 && t->kept[seat] <= t->decisions;
        for (int k = 0; good && k < t->kept[seat]; k++) {
            int32_t action = tables->kept[kept_at(tables, table, seat, k)].action;
            good = action >= 0 && action < game->actions;
        }
    }
    return good;
}

bool tables_read(struct tables *tables, FILE *file)
{
    struct sums sums;
    void *data[ARRAYS];
    size_t bytes[ARRAYS];
    arrays_of(tables, data, bytes);
    bool good = fread(&sums, sizeof sums, 1, file) == 1;
    for (int k = 0; good && k < ARRAYS; k++)
        good = fread(data[k], 1, bytes[k], file) == bytes[k];
    for (int table = 0; good && table < tables->settings.parallel; table++)
        good = table_is_good(tables, table);
    if (!good)
        return false;
    tables->games = sums.games;
    tables->decisions = sums.decisions;
    memcpy(tables->rewarded, sums.rewarded, sizeof sums.rewarded);
    memcpy(tables->reward, sums.reward, sizeof sums.reward);
    return true;
}
