/* Plays parallel games in slices of tables. */
#include "workers/learn/algorithms/tables.h"

#include "workers/learn/algorithms/choosing.h"
#include "workers/learn/algorithms/run_networks.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewest tables of a slice; most slices. */
enum { SLICE_TABLES = 16, SLICES_MAX = 8 };

enum { RECENT_GAMES = 1000 };

/* `[2]` is indexed by seat. */
struct table {
    uint64_t number; /* of the present game at this table, from 0 */
    int32_t decisions;
    int32_t player[2]; /* -1 - role of the network, or the number of the program */
    int32_t kept[2];   /* decisions of networks */
    int32_t decided;   /* see tables_decided() */
    int32_t over;
    int32_t unused; /* replaces padding: the struct is written as bytes */
};

/* Working memory of a slice. */
struct slice {
    float *inputs, *outputs; /* [slice_tables][…] */
    /* [slice_tables]. due: who decides, seat * TABLES_NETWORKS_MAX + role, or -1 for a program;
     * waiting: the tables to evaluate with one network. */
    int *due, *waiting;
    double play_s, network_s;
    char error[LEARNER_ERROR_MAX]; /* "": none */
};

/* The networks that a thread evaluates. */
struct place {
    struct net *net[2][TABLES_NETWORKS_MAX];
};

struct tables {
    struct tables_settings settings;
    uint64_t seed;
    struct pool *pool;
    int slices, slice_tables, places;
    int outputs; /* largest number for any role */
    struct slice *slice;
    struct place *place; /* of each thread; thread 0 uses the run's own networks */
    bool copied;         /* the other threads have copies of the networks at `version` */
    uint64_t version;

    struct table *table;          /* [parallel] */
    unsigned char *states;        /* [parallel][state_size] */
    struct tables_decision *kept; /* [parallel][2][decisions_max] */
    unsigned char *observations;  /* [parallel][2][decisions_max][observation_size] */
    uint64_t games, decisions;
    uint64_t rewarded[2]; /* finished games of a seat's network */
    double reward[2];     /* running mean over the latest of them */
};

/* --- draws --- */

/* Returns the key of a table's next decision. */
static struct random_key table_key(const struct tables *tables, int table)
{
    return (struct random_key){.seed = tables->seed,
                               .stream = (uint64_t)table,
                               .game = tables->table[table].number,
                               .shot = (uint32_t)tables->table[table].decisions,
                               .purpose = RANDOM_CHOICE};
}

/* -1: a program plays. */
static int role_of(const struct table *t, int seat)
{
    return t->player[seat] < 0 ? -1 - t->player[seat] : -1;
}

static unsigned char *state_of(const struct tables *tables, int table)
{
    return tables->states + (size_t)table * tables->settings.game->state_size;
}

static void begin_game(struct tables *tables, int table)
{
    const struct tables_settings *settings = &tables->settings;
    const struct learner_game *game = settings->game;
    struct table *t = &tables->table[table];
    uint64_t bits[4];

    *t = (struct table){.number = t->number, .decided = -1};
    /* Larger than the shot number of any decision. */
    struct random_key key = table_key(tables, table);
    key.shot = UINT32_MAX;
    random_bits(&key, 0, 0, bits);
    for (int seat = 0; seat < 2; seat++) {
        int role = settings->role_of
                       ? settings->role_of(settings->context, table, t->number, seat, bits[seat])
                       : 0;
        assert(role >= 0 && role < settings->roles);
        t->player[seat] = -1 - role;
    }
    if (random_unit(bits[0]) >= settings->self_share)
        t->player[pick_number(bits[1], 2)] = (int32_t)pick_number(bits[2], (size_t)game->opponents);
    game->start(game, &key, state_of(tables, table));
}

/* --- making and freeing --- */

static bool make_places(struct tables *tables, char *ret_error)
{
    const struct tables_settings *settings = &tables->settings;
    for (int k = 1; k < tables->places; k++)
        for (int seat = 0; seat < 2; seat++)
            for (int n = 0; n < TABLES_NETWORKS_MAX; n++)
                if (settings->outputs[n] > 0 &&
                    !run_network_new(settings->game, settings->common, n, settings->outputs[n],
                                     &tables->place[k].net[seat][n], ret_error))
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
        size_t rows = (size_t)tables->slice_tables;
        if (!(slice->inputs = calloc(rows * (size_t)game->inputs, sizeof *slice->inputs)) ||
            !(slice->outputs = calloc(rows * (size_t)tables->outputs, sizeof *slice->outputs)) ||
            !(slice->due = calloc(rows, sizeof *slice->due)) ||
            !(slice->waiting = calloc(rows, sizeof *slice->waiting)))
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
        int even = (settings->parallel + SLICES_MAX - 1) / SLICES_MAX;
        tables->slice_tables = even > SLICE_TABLES ? even : SLICE_TABLES;
        tables->slices = (settings->parallel + tables->slice_tables - 1) / tables->slice_tables;
        for (int n = 0; n < settings->roles; n++)
            if (settings->outputs[n] > tables->outputs)
                tables->outputs = settings->outputs[n];
        /* Networks of both seats learn in parallel. */
        int networks = 0;
        for (int n = 0; n < TABLES_NETWORKS_MAX; n++)
            networks += settings->outputs[n] > 0;
        int useful = tables->slices > 2 * networks ? tables->slices : 2 * networks;
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
        free(tables->slice[k].due);
        free(tables->slice[k].waiting);
    }
    for (int k = 1; k < tables->places && tables->place; k++)
        for (int seat = 0; seat < 2; seat++)
            for (int n = 0; n < TABLES_NETWORKS_MAX; n++)
                net_free(tables->place[k].net[seat][n]);
    free(tables->slice);
    free(tables->place);
    free(tables->table);
    free(tables->states);
    free(tables->kept);
    free(tables->observations);
    free(tables);
}

int tables_count(const struct tables *tables)
{
    return tables->settings.parallel;
}

struct pool *tables_pool(struct tables *tables)
{
    return tables->pool;
}

/* --- playing --- */

static size_t kept_at(const struct tables *tables, int table, int seat, int number)
{
    assert(table >= 0 && table < tables->settings.parallel && seat >= 0 && seat < 2);
    assert(number >= 0 && number < tables->settings.game->decisions_max);
    return ((size_t)table * 2 + (size_t)seat) * (size_t)tables->settings.game->decisions_max +
           (size_t)number;
}

static unsigned char *observation_at(const struct tables *tables, size_t at)
{
    return tables->observations + at * tables->settings.game->observation_size;
}

/* Plays the mover's action, or lets a program play, and adds the rewards. */
static bool play(struct tables *tables, int table, int seat, int action,
                 const struct random_key *key)
{
    const struct learner_game *game = tables->settings.game;
    struct table *t = &tables->table[table];
    unsigned char *state = state_of(tables, table);
    _Alignas(16) unsigned char before[LEARNER_BYTES_MAX];

    memcpy(before, state, game->state_size);
    bool good = role_of(t, seat) >= 0 ? game->play(game, state, action, key)
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
};

static bool fail(struct slice *slice, const char *why)
{
    snprintf(slice->error, sizeof slice->error, "%s", why);
    return false;
}

/* Chooses and plays an action for the waiting decision at a table, from its network's outputs. */
static bool decide(const struct step *step, struct slice *slice, struct tables_turn *turn)
{
    struct tables *tables = step->tables;
    const struct learner_game *game = tables->settings.game;
    int kept = tables->table[turn->table].kept[turn->seat];
    size_t at = kept_at(tables, turn->table, turn->seat, kept - 1);
    bool legal[LEARNER_ACTIONS_MAX];

    assert(kept > 0 && kept <= game->decisions_max);
    turn->state = state_of(tables, turn->table);
    turn->observation = observation_at(tables, at);
    turn->legal = legal;
    turn->key = table_key(tables, turn->table);
    turn->notes = tables->kept[at].notes;
    turn->network_s = 0.0;
    game->legal(game, turn->observation, legal);
    int action = step->choose(tables->settings.context, turn, slice->error);
    slice->network_s += turn->network_s;
    slice->play_s -= turn->network_s;
    if (action < 0)
        return false;
    assert(action < game->actions && legal[action]);
    tables->kept[at].action = action;
    return play(tables, turn->table, turn->seat, action, &turn->key) ||
           fail(slice, "an action could not be played out");
}

/* Evaluates one seat's network in one role for all its waiting tables, and plays there. */
static bool play_role(const struct step *step, struct slice *slice, struct tables_turn *turn,
                      int count)
{
    struct tables *tables = step->tables;
    const struct learner_game *game = tables->settings.game;
    size_t outputs = (size_t)tables->settings.outputs[turn->role];
    double start = pool_thread_s();

    for (int row = 0; row < count; row++) {
        int table = slice->waiting[row];
        struct table *t = &tables->table[table];
        size_t at = kept_at(tables, table, turn->seat, t->kept[turn->seat]++);
        memset(&tables->kept[at], 0, sizeof tables->kept[at]);
        game->observe(game, state_of(tables, table), observation_at(tables, at));
        game->fill_inputs(game, observation_at(tables, at),
                          slice->inputs + (size_t)row * (size_t)game->inputs);
        t->decided = turn->seat;
    }
    double asked = pool_thread_s();
    enum net_status status =
        net_evaluate(turn->net[turn->seat][turn->role], count, slice->inputs, slice->outputs);
    double answered = pool_thread_s();
    if (status != NET_OK)
        return fail(slice, net_status_text(status));
    for (int row = 0; row < count; row++) {
        turn->table = slice->waiting[row];
        turn->outputs = slice->outputs + (size_t)row * outputs;
        if (!decide(step, slice, turn))
            return false;
    }
    slice->network_s += answered - asked;
    slice->play_s += asked - start + pool_thread_s() - answered;
    return true;
}

/* Plays at those tables of a slice where a program decides, one after the other. */
static bool play_programs(struct tables *tables, struct slice *slice, int first, int end)
{
    const struct learner_game *game = tables->settings.game;
    double start = pool_thread_s();
    for (int table = first; table < end; table++) {
        if (slice->due[table - first] >= 0)
            continue;
        int seat = game->mover(game, state_of(tables, table));
        struct random_key key = table_key(tables, table);
        if (!play(tables, table, seat, -1, &key))
            return fail(slice, "an opponent could not play");
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
    int first = (int)index * tables->slice_tables, end = first + tables->slice_tables;

    if (end > tables->settings.parallel)
        end = tables->settings.parallel;
    slice->error[0] = '\0';
    for (int table = first; table < end; table++) {
        struct table *t = &tables->table[table];
        if (t->over) {
            t->number++;
            begin_game(tables, table);
        }
        t->decided = -1;
        int seat = game->mover(game, state_of(tables, table)), role = role_of(t, seat);
        slice->due[table - first] = role < 0 ? -1 : seat * TABLES_NETWORKS_MAX + role;
    }
    if (!play_programs(tables, slice, first, end))
        return;
    struct tables_turn turn = {.thread = thread, .net = tables->place[thread].net};
    for (turn.seat = 0; turn.seat < 2; turn.seat++)
        for (turn.role = 0; turn.role < tables->settings.roles; turn.role++) {
            int count = 0;
            for (int table = first; table < end; table++)
                if (slice->due[table - first] == turn.seat * TABLES_NETWORKS_MAX + turn.role)
                    slice->waiting[count++] = table;
            if (!play_role(step, slice, &turn, count))
                return;
        }
}

static void count_games(struct tables *tables)
{
    for (int table = 0; table < tables->settings.parallel; table++) {
        const struct table *t = &tables->table[table];
        tables->games += t->over != 0;
        for (int seat = 0; seat < 2 && t->over; seat++) {
            if (role_of(t, seat) < 0)
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

bool tables_step(struct tables *tables, struct net *net[2][TABLES_NETWORKS_MAX], uint64_t version,
                 tables_choice *choose, char ret_error[LEARNER_ERROR_MAX])
{
    struct step step = {tables, choose};
    memcpy(tables->place[0].net, net, sizeof tables->place[0].net);
    for (int k = 1; k < tables->places && (!tables->copied || tables->version != version); k++)
        for (int seat = 0; seat < 2; seat++)
            for (int n = 0; n < TABLES_NETWORKS_MAX; n++) {
                enum net_status status =
                    net[seat][n] ? net_copy_first_outputs(net[seat][n], /* all of them */
                                                          tables->place[k].net[seat][n])
                                 : NET_OK;
                if (status != NET_OK)
                    return run_network_is_good(status, "network", ret_error);
            }
    tables->copied = true;
    tables->version = version;

    pool_run(tables->pool, (size_t)tables->slices, play_slice, &step);
    for (int k = 0; k < tables->slices; k++)
        if (tables->slice[k].error[0]) {
            snprintf(ret_error, LEARNER_ERROR_MAX, "%.64s: %.240s", tables->settings.game->name,
                     tables->slice[k].error);
            return false;
        }
    count_games(tables);
    return true;
}

/* --- results of the last step --- */

int tables_decided(const struct tables *tables, int table)
{
    return tables->table[table].decided;
}

bool tables_over(const struct tables *tables, int table)
{
    return tables->table[table].over;
}

int tables_role(const struct tables *tables, int table, int seat)
{
    return role_of(&tables->table[table], seat);
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
    ret_report->decisions = tables->decisions;
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

/* The arrays with the state of the games. */
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

/* Whether all array indices are in range. Observations and states from a file are trusted: the
 * caller has checked the file's hash. */
static bool table_is_good(const struct tables *tables, int table)
{
    const struct learner_game *game = tables->settings.game;
    const struct table *t = &tables->table[table];
    bool good = t->decisions >= 0 && t->decisions <= game->decisions_max && t->decided >= -1 &&
                t->decided <= 1 && (t->over == 0 || t->over == 1);
    for (int seat = 0; seat < 2 && good; seat++) {
        good = t->player[seat] >= -tables->settings.roles && t->player[seat] < game->opponents &&
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

/* --- files in an old format --- */

bool tables_put(struct tables *tables, int table, const struct tables_game *game)
{
    const struct learner_game *rules = tables->settings.game;
    struct table *t = &tables->table[table];

    *t = (struct table){.number = game->number, .decisions = game->decisions, .decided = -1};
    memcpy(state_of(tables, table), game->state, rules->state_size);
    for (int seat = 0; seat < 2; seat++) {
        int kept = game->seat[seat].kept, role = game->seat[seat].role;
        if (kept < 0 || kept > rules->decisions_max || role < 0 || role >= tables->settings.roles)
            return false;
        size_t at = kept_at(tables, table, seat, 0);
        t->player[seat] = -1 - role;
        t->kept[seat] = kept;
        memcpy(&tables->kept[at], game->seat[seat].decision, (size_t)kept * sizeof *tables->kept);
        memcpy(observation_at(tables, at), game->seat[seat].observations,
               (size_t)kept * rules->observation_size);
    }
    return table_is_good(tables, table);
}

void tables_put_sums(struct tables *tables, uint64_t games, uint64_t decisions,
                     const uint64_t rewarded[2], const double reward[2])
{
    tables->games = games;
    tables->decisions = decisions;
    memcpy(tables->rewarded, rewarded, sizeof tables->rewarded);
    memcpy(tables->reward, reward, sizeof tables->reward);
}
