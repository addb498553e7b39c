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
    struct tables_sums sums;
};

/* --- draws --- */

/* Returns the key of a table's next decision. */
static struct random_key table_key(const struct tables *tables, int table)
{
    return (struct random_key){.seed = tables->settings.common->seed,
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

static void take_buffers(struct tables *tables, struct room *room)
{
    const struct learner_game *game = tables->settings.game;
    size_t parallel = (size_t)tables->settings.parallel, rows = (size_t)tables->slice_tables;
    size_t kept = 2 * parallel * (size_t)game->decisions_max;

    tables->slice = room_take(room, (size_t)tables->slices, sizeof *tables->slice);
    tables->place = room_take(room, (size_t)tables->places, sizeof *tables->place);
    tables->table = room_take(room, parallel, sizeof *tables->table);
    tables->states = room_take(room, parallel, game->state_size);
    tables->kept = room_take(room, kept, sizeof *tables->kept);
    tables->observations = room_take(room, kept, game->observation_size);
    for (int k = 0; k < tables->slices && !room->is_full; k++) {
        struct slice *slice = &tables->slice[k];
        slice->inputs = room_take(room, rows * (size_t)game->inputs, sizeof *slice->inputs);
        slice->outputs = room_take(room, rows * (size_t)tables->outputs, sizeof *slice->outputs);
        slice->due = room_take(room, rows, sizeof *slice->due);
        slice->waiting = room_take(room, rows, sizeof *slice->waiting);
    }
}

static void set_sizes(struct tables *tables)
{
    const struct tables_settings *settings = &tables->settings;
    int even = (settings->parallel + SLICES_MAX - 1) / SLICES_MAX, networks = 0;

    tables->slice_tables = even > SLICE_TABLES ? even : SLICE_TABLES;
    tables->slices = (settings->parallel + tables->slice_tables - 1) / tables->slice_tables;
    for (int n = 0; n < TABLES_NETWORKS_MAX; n++) {
        networks += settings->outputs[n] > 0;
        if (n < settings->roles && settings->outputs[n] > tables->outputs)
            tables->outputs = settings->outputs[n];
    }
    /* Networks of both seats learn in parallel. */
    int useful = tables->slices > 2 * networks ? tables->slices : 2 * networks;
    int threads = settings->common->threads > 1 ? settings->common->threads : 1;
    tables->places = threads < useful ? threads : useful;
}

struct tables *tables_new(const struct tables_settings *settings, struct room *room,
                          char ret_error[LEARNER_ERROR_MAX])
{
    if (settings->self_share < 1.0 && settings->game->opponents < 1) {
        snprintf(ret_error, LEARNER_ERROR_MAX,
                 "self_share: %g, but there are no opponents to train against",
                 settings->self_share);
        return NULL;
    }
    struct tables *tables = room_take(room, 1, sizeof *tables);
    if (tables) {
        tables->settings = *settings;
        set_sizes(tables);
        take_buffers(tables, room);
    }
    if (room->is_full || !(tables->pool = pool_new(tables->places))) {
        snprintf(ret_error, LEARNER_ERROR_MAX, "tables: no memory");
        return NULL;
    }
    if (!make_places(tables, ret_error)) {
        tables_stop(tables);
        return NULL;
    }
    for (int table = 0; table < settings->parallel; table++)
        begin_game(tables, table);
    return tables;
}

void tables_stop(struct tables *tables)
{
    if (!tables)
        return;
    pool_free(tables->pool);
    for (int k = 1; k < tables->places; k++)
        for (int seat = 0; seat < 2; seat++)
            for (int n = 0; n < TABLES_NETWORKS_MAX; n++)
                net_free(tables->place[k].net[seat][n]);
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
    bool good = table_role(t, seat) >= 0 ? game->play(game, state, action, key)
                                         : game->opponent_play(game, t->player[seat], state, key);
    for (int k = 0; good && k < 2; k++)
        if (t->kept[k] > 0)
            tables->kept[kept_at(tables, table, k, t->kept[k] - 1)].reward +=
                game->reward(game, before, state, k);
    t->decisions++;
    t->over = good && game->mover(game, state) < 0;
    return good;
}

static bool fail(struct slice *slice, const char *why)
{
    snprintf(slice->error, sizeof slice->error, "%s", why);
    return false;
}

/* Chooses and plays an action for the waiting decision at a table, from its network's outputs. */
static bool decide(struct tables *tables, struct slice *slice, struct tables_turn *turn)
{
    const struct learner_game *game = tables->settings.game;
    int kept = tables->table[turn->table].kept[turn->seat];
    size_t at = kept_at(tables, turn->table, turn->seat, kept - 1);
    bool legal[LEARNER_ACTIONS_MAX];

    assert(kept > 0 && kept <= game->decisions_max);
    turn->state = state_of(tables, turn->table);
    turn->legal = legal;
    turn->key = table_key(tables, turn->table);
    turn->notes = tables->kept[at].notes;
    turn->network_s = 0.0;
    game->legal(game, observation_at(tables, at), legal);
    int action = tables->settings.choose(tables->settings.context, turn, slice->error);
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
static bool play_role(struct tables *tables, struct slice *slice, struct tables_turn *turn,
                      int count)
{
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
        if (!decide(tables, slice, turn))
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
    struct tables *tables = context;
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
        int seat = game->mover(game, state_of(tables, table)), role = table_role(t, seat);
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
            if (!play_role(tables, slice, &turn, count))
                return;
        }
}

static void count_games(struct tables *tables)
{
    struct tables_sums *sums = &tables->sums;

    for (int table = 0; table < tables->settings.parallel; table++) {
        const struct table *t = &tables->table[table];
        sums->games += t->over != 0;
        for (int seat = 0; seat < 2 && t->over; seat++) {
            if (table_role(t, seat) < 0)
                continue;
            double sum = 0.0;
            for (int k = 0; k < t->kept[seat]; k++)
                sum += tables->kept[kept_at(tables, table, seat, k)].reward;
            double weight = (double)++sums->rewarded[seat];
            sums->reward[seat] += (sum - sums->reward[seat]) / fmin(weight, RECENT_GAMES);
        }
    }
    sums->decisions += (uint64_t)tables->settings.parallel;
}

bool tables_step(struct tables *tables, struct net *net[2][TABLES_NETWORKS_MAX], uint64_t version,
                 char ret_error[LEARNER_ERROR_MAX])
{
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

    pool_run(tables->pool, (size_t)tables->slices, play_slice, tables);
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

const struct table *tables_at(const struct tables *tables, int table)
{
    return &tables->table[table];
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
    const struct tables_sums *sums = &tables->sums;

    ret_report->games = sums->games;
    ret_report->decisions = sums->decisions;
    for (int seat = 0; seat < 2; seat++)
        ret_report->reward[seat] = sums->rewarded[seat] ? sums->reward[seat] : (double)NAN;
    for (int k = 0; k < tables->slices; k++) {
        ret_report->play_s += tables->slice[k].play_s;
        ret_report->network_s += tables->slice[k].network_s;
    }
}

/* --- files: all arrays --- */

enum { ARRAYS = 5 };
struct array {
    void *data;
    size_t bytes;
};
static void arrays_of(const struct tables *tables, struct array ret_arrays[ARRAYS])
{
    const struct learner_game *game = tables->settings.game;
    size_t parallel = (size_t)tables->settings.parallel;
    size_t kept = 2 * parallel * (size_t)game->decisions_max;

    ret_arrays[0] = (struct array){(void *)&tables->sums, sizeof tables->sums};
    ret_arrays[1] = (struct array){tables->table, parallel * sizeof *tables->table};
    ret_arrays[2] = (struct array){tables->states, parallel * game->state_size};
    ret_arrays[3] = (struct array){tables->kept, kept * sizeof *tables->kept};
    ret_arrays[4] = (struct array){tables->observations, kept * game->observation_size};
}

bool tables_write(const struct tables *tables, FILE *file)
{
    struct array arrays[ARRAYS];
    bool good = true;

    arrays_of(tables, arrays);
    for (int k = 0; good && k < ARRAYS; k++)
        good = fwrite(arrays[k].data, 1, arrays[k].bytes, file) == arrays[k].bytes;
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
    struct array arrays[ARRAYS];
    bool good = true;

    arrays_of(tables, arrays);
    for (int k = 0; good && k < ARRAYS; k++)
        good = fread(arrays[k].data, 1, arrays[k].bytes, file) == arrays[k].bytes;
    for (int table = 0; good && table < tables->settings.parallel; table++)
        good = table_is_good(tables, table);
    return good;
}

/* --- files in an old format --- */

void tables_put_decision(struct tables *tables, int table, int seat, int number,
                         const struct tables_decision *decision, const void *observation)
{
    size_t at = kept_at(tables, table, seat, number);
    tables->kept[at] = *decision;
    memcpy(observation_at(tables, at), observation, tables->settings.game->observation_size);
}

bool tables_put(struct tables *tables, int table, const struct table *game, const void *state)
{
    tables->table[table] = *game;
    memcpy(state_of(tables, table), state, tables->settings.game->state_size);
    return table_is_good(tables, table);
}

void tables_put_sums(struct tables *tables, const struct tables_sums *sums)
{
    tables->sums = *sums;
}
