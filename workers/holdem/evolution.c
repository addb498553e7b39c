/* Generations. */
#include "workers/holdem/evolution.h"

#include "models/ice/random.h"
#include "workers/holdem/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    HANDS_AT_ONCE = 16384, /* of a step */
    SEED_FITNESS = 1,      /* streams of seeds and draws */
    SEED_VALIDATION,
    DRAW_FIRST,
    DRAW_PARENTS,
    DRAW_SEGMENTS,
    DRAW_MUTATION,
    MAGIC = 0x65766f31
};

struct evolution {
    struct evolution_settings settings;
    struct pool *pool;
    int threads;
    unsigned char *memory; /* of sessions, one part a thread */
    size_t memory_size;
    size_t weights;
    float *agent, *next;  /* [population][weights] */
    float *champion;      /* [weights] */
    double *won;          /* [population][opponents], big blinds a hand */
    double *fitness;      /* [population] */
    double *final;        /* [population], fitness of finalists on other hands */
    int *order;           /* the fittest first */
    const float **player; /* [population], those who play */

    /* What a task of the pool plays. */
    int64_t first; /* of its tasks */
    uint64_t seed;
    int pairs;
    double *into; /* [tasks] */

    /* In files, with agent, champion and won. */
    struct progress {
        uint64_t magic, weights, population, opponents;
        int64_t generation, done, hands; /* done: pairings of this generation */
        double best, mean, champion, won_mbb;
    } progress;
    int active[POKER_STYLES], actives; /* opponents of this generation */
};

/* ---- random numbers ---- */

static struct random_key key_of(const struct evolution *e, int stream, int number)
{
    return (struct random_key){.seed = e->settings.seed,
                               .stream = (uint64_t)stream << 32 | (uint64_t)number,
                               .game = (uint64_t)e->progress.generation,
                               .purpose = RANDOM_CHOICE};
}

static uint64_t bits_of(const struct evolution *e, int stream, int number, int item)
{
    const struct random_key key = key_of(e, stream, number);
    uint64_t bits[4];

    random_bits(&key, (uint64_t)item, 0, bits);
    return bits[0];
}

/* ---- the first generation ---- */

static void make_agent(const struct evolution *e, int number, float *weights)
{
    const struct random_key key = key_of(e, DRAW_FIRST, number);
    uint64_t drawn = 0;

    for (int part = 0; part < POKER_PARTS; part++) {
        const struct poker_matrix matrix = poker_matrix(e->settings.form, (enum poker_module)part);
        double scale = 1.0 / sqrt(matrix.inputs);
        size_t count = (size_t)matrix.inputs * (size_t)matrix.units;
        for (size_t k = 0; k < count; k++)
            weights[matrix.at + k] = (float)(scale * random_normal_pair(&key, drawn++).z0);
    }
}

/* ---- making and freeing ---- */

const char *evolution_check(const struct evolution_settings *s)
{
    if (s->survival * s->population < 2.0)
        return "fewer than two would survive: more population or survival is needed";
    if (s->finalists > s->population)
        return "there cannot be more finalists than agents";
    return NULL;
}

void evolution_free(struct evolution *e)
{
    if (!e)
        return;
    pool_free(e->pool);
    free(e->memory);
    free(e->agent);
    free(e->next);
    free(e->champion);
    free(e->won);
    free(e->fitness);
    free(e->final);
    free(e->order);
    free(e->player);
    free(e->into);
    free(e);
}

static bool take_memory(struct evolution *e, int threads)
{
    const struct evolution_settings *s = &e->settings;
    size_t population = (size_t)s->population;
    const struct poker_network any = {s->form, NULL};
    const struct poker_session session = {
        .player = {poker_network_player(&any), poker_rule_player(0)}};

    e->pool = pool_new(threads);
    if (!e->pool)
        return false;
    e->threads = pool_threads(e->pool);
    e->memory_size = poker_session_memory(&session);
    e->memory = aligned_alloc(64, e->memory_size * (size_t)e->threads);
    e->weights = poker_weight_count(s->form);
    e->agent = calloc(population * e->weights, sizeof *e->agent);
    e->next = calloc(population * e->weights, sizeof *e->next);
    e->champion = calloc(e->weights, sizeof *e->champion);
    e->won = calloc(population * POKER_STYLES, sizeof *e->won);
    e->into = calloc(population * POKER_STYLES, sizeof *e->into);
    e->fitness = calloc(population, sizeof *e->fitness);
    e->final = calloc(population, sizeof *e->final);
    e->order = calloc(population, sizeof *e->order);
    e->player = calloc(population, sizeof *e->player);
    return e->memory && e->agent && e->next && e->champion && e->won && e->into && e->fitness &&
           e->final && e->order && e->player;
}

/* The opponents of the present generation. */
static void choose_opponents(struct evolution *e)
{
    const struct evolution_settings *s = &e->settings;
    int64_t stage = e->progress.generation / s->stage;
    int half = (s->opponents + 1) / 2, first = 0, last = s->opponents;

    if (s->curriculum == 2 && stage + 1 < last)
        last = (int)stage + 1;
    if (s->curriculum == 3 && stage == 0)
        last = half;
    if (s->curriculum == 4 && stage == 0)
        last = half;
    if (s->curriculum == 4 && stage == 1 && half < last)
        first = half;
    e->actives = 0;
    for (int k = first; k < last; k++)
        e->active[e->actives++] = s->opponent[k];
}

struct evolution *evolution_new(const struct evolution_settings *settings, int threads)
{
    struct evolution *e = calloc(1, sizeof *e);

    if (!e || evolution_check(settings)) {
        free(e);
        return NULL;
    }
    e->settings = *settings;
    if (!take_memory(e, threads)) {
        evolution_free(e);
        return NULL;
    }
    e->progress = (struct progress){.magic = MAGIC,
                                    .weights = e->weights,
                                    .population = (uint64_t)settings->population,
                                    .best = (double)NAN,
                                    .mean = (double)NAN,
                                    .champion = (double)NAN,
                                    .won_mbb = (double)NAN};
    for (int k = 0; k < settings->population; k++)
        make_agent(e, k, e->agent + (size_t)k * e->weights);
    memcpy(e->champion, e->agent, e->weights * sizeof *e->champion);
    choose_opponents(e);
    return e;
}

/* ---- playing ---- */

/* A pairing: network number task / actives against opponent task % actives. */
static void play_pairing(void *context, size_t index, int thread)
{
    struct evolution *e = context;
    int64_t task = e->first + (int64_t)index;
    const struct poker_network network = {e->settings.form, e->player[task / e->actives]};
    int opponent = e->active[task % e->actives];
    const struct poker_session session = {
        .player = {poker_network_player(&network), poker_rule_player(opponent)},
        .seed = e->seed,
        .number = (uint64_t)opponent,
        .hands = e->pairs};
    struct poker_tally tally = {.pairs = 0};

    poker_session_play(&session, e->memory + (size_t)thread * e->memory_size, NULL, &tally);
    e->into[index] = poker_tally_mbb(&tally) / 1000.0;
}

static void play(struct evolution *e, int64_t first, int64_t count, int pairs, uint64_t seed)
{
    e->first = first;
    e->pairs = pairs;
    e->seed = seed;
    pool_run(e->pool, (size_t)count, play_pairing, e);
    e->progress.hands += count * pairs * 2;
}

/* Fitness of those whose winnings are rows of `won`. */
static void judge(const struct evolution *e, const double *won, int count, double *ret_fitness)
{
    for (int k = 0; k < count; k++)
        ret_fitness[k] = 0.0;
    for (int j = 0; j < e->actives; j++) {
        double most = 1.0;
        for (int k = 0; k < count; k++)
            most = fmax(most, won[k * e->actives + j]);
        for (int k = 0; k < count; k++)
            ret_fitness[k] += won[k * e->actives + j] / most / e->actives;
    }
}

static void sort_by_fitness(struct evolution *e)
{
    int *order = e->order;

    for (int k = 0; k < e->settings.population; k++) {
        int at = k;
        for (; at > 0 && e->fitness[order[at - 1]] < e->fitness[k]; at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
}

/* ---- the end of a generation ---- */

/* Lets the fittest play other hands and copies the best of them. */
static void crown(struct evolution *e)
{
    const struct evolution_settings *s = &e->settings;
    double won = 0.0;
    int best = 0;

    for (int k = 0; k < s->finalists; k++)
        e->player[k] = e->agent + (size_t)e->order[k] * e->weights;
    play(e, 0, (int64_t)s->finalists * e->actives, s->validation_hands,
         bits_of(e, SEED_VALIDATION, 0, 0));
    judge(e, e->into, s->finalists, e->final);
    for (int k = 1; k < s->finalists; k++)
        best = e->final[k] > e->final[best] ? k : best;
    for (int j = 0; j < e->actives; j++)
        won += e->into[best * e->actives + j] / e->actives;
    e->progress.champion = e->final[best];
    e->progress.won_mbb = 1000.0 * won;
    memcpy(e->champion, e->player[best], e->weights * sizeof *e->champion);
}

/* Draws a parent in proportion to its fitness above that of the worst survivor. */
static int draw_parent(const struct evolution *e, int parents, double worst, uint64_t bits)
{
    double sum = 0.0, at;

    for (int k = 0; k < parents; k++)
        sum += e->fitness[e->order[k]] - worst;
    at = random_unit(bits) * sum;
    for (int k = 0; k + 1 < parents; k++) {
        at -= e->fitness[e->order[k]] - worst;
        if (at < 0.0)
            return e->order[k];
    }
    return e->order[parents - 1];
}

/* A unit of the network, a cell with its four gates or a hidden unit with its outputs, comes from
 * one parent: with chance `share` from the first. */
static void cross(const struct evolution *e, int child, const int parent[2], double share,
                  float *weights)
{
    const float *from[2] = {e->agent + (size_t)parent[0] * e->weights,
                            e->agent + (size_t)parent[1] * e->weights};
    const int cells = e->settings.form.cells, hidden = e->settings.form.hidden;
    const struct random_key key = key_of(e, DRAW_SEGMENTS, child);
    uint8_t pick[2 * POKER_CELLS_MAX + POKER_HIDDEN_MAX + 1];

    for (int k = 0; k <= 2 * cells + hidden; k++)
        pick[k] = random_uniform(&key, (uint64_t)k) < share ? 0 : 1;
    for (int part = 0; part < POKER_PARTS; part++) {
        const struct poker_matrix matrix = poker_matrix(e->settings.form, (enum poker_module)part);
        for (int input = 0; input < matrix.inputs; input++)
            for (int unit = 0; unit < matrix.units; unit++) {
                size_t at = matrix.at + (size_t)input * (size_t)matrix.units + (size_t)unit;
                int segment = part < POKER_JOINED    ? part * cells + unit % cells
                              : part == POKER_JOINED ? 2 * cells + unit
                                                     : 2 * cells + input;
                weights[at] = from[pick[segment]][at];
            }
    }
}

/* Falls from 1 to a tenth. */
static double fall(const struct evolution *e)
{
    return fmax(1.0 - 0.9 * (double)e->progress.generation / e->settings.mutation_fall, 0.1);
}

static void mutate(const struct evolution *e, int child, float *weights)
{
    const struct random_key key = key_of(e, DRAW_MUTATION, child);
    const uint64_t limit = (uint64_t)(e->settings.mutation_rate * fall(e) * 0x1p16);
    double strength = e->settings.mutation_strength * fall(e);
    uint64_t bits[4] = {0};

    for (size_t k = 0; k < e->weights; k++) {
        if (k % 16 == 0)
            random_bits(&key, k / 16, 16, bits);
        if ((bits[k % 16 / 4] >> 16 * (k % 4) & 0xffff) < limit)
            weights[k] += (float)(strength * random_normal_pair(&key, k).z0);
    }
}

static void breed(struct evolution *e)
{
    const struct evolution_settings *s = &e->settings;
    int survivors = (int)(s->survival * s->population), parents = 0;
    double sum = 0.0, worst = e->fitness[e->order[survivors - 1]];

    for (int k = 0; k < survivors; k++)
        sum += e->fitness[e->order[k]];
    while (parents < survivors && e->fitness[e->order[parents]] * survivors > sum)
        parents++;
    parents = parents < 2 ? 2 : parents;
    for (int k = 0; k < s->population; k++) {
        float *child = e->next + (size_t)k * e->weights;
        if (k < survivors) {
            memcpy(child, e->agent + (size_t)e->order[k] * e->weights, e->weights * sizeof *child);
            continue;
        }
        int parent[2];
        for (int p = 0; p < 2; p++)
            parent[p] = draw_parent(e, parents, worst, bits_of(e, DRAW_PARENTS, k, p));
        double a = e->fitness[parent[0]] - worst, b = e->fitness[parent[1]] - worst;
        cross(e, k, parent, a + b > 0.0 ? a / (a + b) : .5, child);
        mutate(e, k, child);
    }
    float *old = e->agent;
    e->agent = e->next;
    e->next = old;
}

static void end_generation(struct evolution *e)
{
    int population = e->settings.population;
    double sum = 0.0;

    judge(e, e->won, population, e->fitness);
    sort_by_fitness(e);
    for (int k = 0; k < population; k++)
        sum += e->fitness[k];
    e->progress.best = e->fitness[e->order[0]];
    e->progress.mean = sum / population;
    crown(e);
    breed(e);
    e->progress.generation++;
    e->progress.done = 0;
    choose_opponents(e);
}

void evolution_step(struct evolution *e)
{
    const struct evolution_settings *s = &e->settings;
    int64_t tasks = (int64_t)s->population * e->actives, count = HANDS_AT_ONCE / s->hands + 1;

    for (int k = 0; k < s->population; k++)
        e->player[k] = e->agent + (size_t)k * e->weights;
    if (count > tasks - e->progress.done)
        count = tasks - e->progress.done;
    play(e, e->progress.done, count, s->hands, bits_of(e, SEED_FITNESS, 0, 0));
    memcpy(e->won + e->progress.done, e->into, (size_t)count * sizeof *e->won);
    e->progress.done += count;
    if (e->progress.done == tasks)
        end_generation(e);
}

/* ---- reports and files ---- */

struct evolution_report evolution_report(const struct evolution *e)
{
    return (struct evolution_report){.generation = e->progress.generation,
                                     .hands = e->progress.hands,
                                     .best = e->progress.best,
                                     .mean = e->progress.mean,
                                     .champion = e->progress.champion,
                                     .won_mbb = e->progress.won_mbb};
}

struct poker_network evolution_champion(const struct evolution *e)
{
    return (struct poker_network){e->settings.form, e->champion};
}

bool evolution_write(const struct evolution *e, FILE *file)
{
    size_t all = (size_t)e->settings.population * e->weights;
    struct progress progress = e->progress;

    progress.opponents = (uint64_t)e->actives;
    return fwrite(&progress, sizeof progress, 1, file) == 1 &&
           fwrite(e->won, sizeof *e->won, (size_t)progress.done, file) == (size_t)progress.done &&
           fwrite(e->champion, sizeof *e->champion, e->weights, file) == e->weights &&
           fwrite(e->agent, sizeof *e->agent, all, file) == all;
}

bool evolution_read(struct evolution *e, FILE *file)
{
    size_t all = (size_t)e->settings.population * e->weights;
    struct progress progress;

    if (fread(&progress, sizeof progress, 1, file) != 1 || progress.magic != MAGIC ||
        progress.weights != e->weights || progress.generation < 0 || progress.done < 0 ||
        progress.population != e->progress.population || progress.opponents > POKER_STYLES ||
        progress.done > (int64_t)(progress.population * progress.opponents))
        return false;
    bool good =
        fread(e->won, sizeof *e->won, (size_t)progress.done, file) == (size_t)progress.done &&
        fread(e->champion, sizeof *e->champion, e->weights, file) == e->weights &&
        fread(e->agent, sizeof *e->agent, all, file) == all;
    for (size_t k = 0; k < all && good; k++)
        good = isfinite(e->agent[k]);
    e->progress = progress;
    choose_opponents(e);
    /* A branch with other opponents plays the generation from its start. */
    if (progress.opponents != (uint64_t)e->actives)
        e->progress.done = 0;
    return good;
}
