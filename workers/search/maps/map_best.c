/* The best cells, refined, ranked by other throws and valued by fresh ones. See map_best.h. */
#include "workers/search/maps/map_best.h"

#include "workers/search/shots/kernel.h"

#include <stdlib.h>
#include <string.h>

enum {
    ENTRIES = 24,        /* cells that are refined, */
    LAYER_MOST = 6,      /* of a layer, */
    TURNS = 8,           /* neighbours of each */
    ROUNDS = 3,          /* … at half the radius each time */
    REFINE_THROWS = 128, /* of each of them */
    RANK_THROWS = 1024,  /* that choose among the refined shots */
    FRESH_THROWS = 4096  /* that value the chosen ones */
};
#define FIRST_RADIUS 1.0 /* in standard deviations of the error of the hand */

struct entry {
    struct judged judged;
    enum aim_weight weight;
};

/* ---- the best cells ---- */

static int compare_cells(const void *a, const void *b)
{
    const struct map_cell *p = *(const struct map_cell *const *)a;
    const struct map_cell *q = *(const struct map_cell *const *)b;
    double difference = judged_mean(&q->judged) - judged_mean(&p->judged);

    if (difference != 0.0)
        return difference > 0.0 ? 1 : -1;
    return p < q ? -1 : 1;
}

static bool is_beside(const struct map *map, const struct map_cell *a, const struct map_cell *b)
{
    int columns = map->layer[a->layer].columns;

    return a->layer == b->layer && abs(a->number % columns - b->number % columns) <= 1 &&
           abs(a->number / columns - b->number / columns) <= 1;
}

/* Chooses the best cells of which none is beside another, from several layers; returns how many. */
static int choose(const struct map *map, const struct map_cell **sorted, int count,
                  const struct map_cell *ret_chosen[ENTRIES])
{
    int chosen = 0, of_layer[MAP_LAYERS] = {0};

    for (int k = 0; k < count && chosen < ENTRIES; k++) {
        int layer = sorted[k]->layer;
        bool is_new = of_layer[layer] < LAYER_MOST;
        for (int i = 0; i < chosen && is_new; i++)
            is_new = !is_beside(map, ret_chosen[i], sorted[k]);
        if (!is_new)
            continue;
        ret_chosen[chosen++] = sorted[k];
        of_layer[layer]++;
    }
    return chosen;
}

/* Returns the number of entries; negative: memory is short. */
static int enter(const struct map_work *work, const struct map *map,
                 struct entry ret_entry[ENTRIES])
{
    const struct map_cell **sorted = malloc((size_t)work->count * sizeof *sorted);
    const struct map_cell *chosen[ENTRIES];
    int open = 0;

    if (!sorted)
        return -1;
    for (int k = 0; k < work->count; k++)
        if (work->cell[k].is_open)
            sorted[open++] = &work->cell[k];
    qsort(sorted, (size_t)open, sizeof *sorted, compare_cells);
    int count = choose(map, sorted, open, chosen);
    for (int k = 0; k < count; k++)
        ret_entry[k] = (struct entry){.judged.candidate = chosen[k]->judged.candidate,
                                      .weight = map->layer[chosen[k]->layer].weight};
    free(sorted);
    return count;
}

/* ---- refinement ---- */

struct refinement {
    struct judge judge;
    const struct player_query *query;
    struct judged list[ENTRIES * (TURNS + 1)];
    atomic_bool stopped;
};

static void refine_one(void *context, size_t index, int thread)
{
    struct refinement *refinement = context;

    (void)thread;
    if (player_is_cancelled(refinement->query))
        atomic_store(&refinement->stopped, true);
    if (!atomic_load_explicit(&refinement->stopped, memory_order_relaxed))
        judge_throw(&refinement->judge, &refinement->list[index], REFINE_THROWS);
}

/* One round: the best of each entry and its neighbours becomes the entry. */
static void refine(struct valuation *valuation, struct refinement *refinement, double radius,
                   struct entry *entry, int count)
{
    for (int k = 0; k < count; k++) {
        struct judged *own = &refinement->list[k * (TURNS + 1)];
        const struct kernel kernel =
            kernel_at(refinement->judge.noise, entry[k].judged.candidate.shot);
        own[0] = entry[k].judged;
        for (int turn = 0; turn < TURNS; turn++)
            own[turn + 1] = (struct judged){.candidate = candidate_of_shot(kernel_shot_on_ellipse(
                                                &kernel, radius, (double)turn / TURNS))};
    }
    pool_run(valuation->threads, (size_t)(count * (TURNS + 1)), refine_one, refinement);
    if (atomic_load(&refinement->stopped))
        return;
    valuation->throws += (int64_t)count * (TURNS + 1) * REFINE_THROWS;
    for (int k = 0; k < count; k++)
        for (int i = 0; i <= TURNS; i++) {
            const struct judged *one = &refinement->list[k * (TURNS + 1) + i];
            if (i == 0 || judged_mean(one) > judged_mean(&entry[k].judged))
                entry[k].judged = *one;
        }
}

/* ---- ranking ---- */

static int compare_best(const void *a, const void *b)
{
    const struct map_best *p = a, *q = b;
    double difference = q->worth - p->worth;

    return difference > 0.0 ? 1 : difference < 0.0 ? -1 : 0;
}

/* Values shots by throws of a purpose. */
static bool value(struct valuation *valuation, uint32_t purpose, int throws, struct map_best *best,
                  int count)
{
    struct normal_pair *errors = valuation_errors(valuation, purpose, throws);
    struct valued valued[ENTRIES];
    bool good = errors != NULL;

    for (int k = 0; k < count; k++)
        valued[k] = best[k].valued;
    good = good && valuation_appraise(valuation, errors, throws, valued, count);
    for (int k = 0; good && k < count; k++)
        best[k].valued = valued[k];
    for (int k = 0; good && k < count; k++)
        best[k].worth = objective_worth(&valuation->judge.objective, &valued[k].appraised.scores);
    free(errors);
    return good;
}

static bool is_like(const struct map_best *a, const struct map_best *b)
{
    return a->valued.kind == b->valued.kind &&
           (a->valued.candidate.shot.omega > 0.0) == (b->valued.candidate.shot.omega > 0.0);
}

/* Moves the first shot of each kind and turn of a sorted list before the others, the order of which
 * stays as it is. */
static void put_different_first(struct map_best *best, int count)
{
    struct map_best sorted[ENTRIES];
    bool is_taken[ENTRIES] = {false};
    int placed = 0;

    memcpy(sorted, best, (size_t)count * sizeof *best);
    for (int k = 0; k < count; k++) {
        bool is_new = true;
        for (int i = 0; i < placed && is_new; i++)
            is_new = !is_like(&sorted[k], &best[i]);
        is_taken[k] = is_new;
        if (is_new)
            best[placed++] = sorted[k];
    }
    for (int k = 0; k < count; k++)
        if (!is_taken[k])
            best[placed++] = sorted[k];
}

/* Keeps the best of the refined shots, of different kinds where there are, with values by fresh
 * throws. */
static enum player_status rank(struct valuation *valuation, const struct entry *entry, int count,
                               struct map *map)
{
    struct map_best best[ENTRIES];
    int kept = count < MAP_BEST ? count : MAP_BEST;

    for (int k = 0; k < count; k++)
        best[k] = (struct map_best){.valued.candidate = entry[k].judged.candidate,
                                    .weight = entry[k].weight};
    bool good = count > 0 && value(valuation, RANDOM_LUCK, RANK_THROWS, best, count);
    if (good) {
        qsort(best, (size_t)count, sizeof *best, compare_best);
        put_different_first(best, count);
        qsort(best, (size_t)kept, sizeof *best, compare_best);
        good = value(valuation, RANDOM_EXECUTION, FRESH_THROWS, best, kept);
    }
    map->cancelled = player_is_cancelled(valuation->query);
    if (!good)
        return map->cancelled || count == 0 ? PLAYER_OK : PLAYER_NO_MEMORY;
    for (int k = 0; k < kept; k++)
        map->best[k] = best[k];
    map->best_count = kept;
    return PLAYER_OK;
}

enum player_status map_best_find(struct valuation *valuation, const struct map_work *work,
                                 struct map *map)
{
    struct entry entry[ENTRIES];
    struct refinement *refinement = malloc(sizeof *refinement);
    struct normal_pair *own = valuation_errors(valuation, RANDOM_PLANNING, REFINE_THROWS);
    int count = refinement && own ? enter(work, map, entry) : -1;
    enum player_status status = count >= 0 ? PLAYER_OK : PLAYER_NO_MEMORY;
    double radius = FIRST_RADIUS;

    if (status == PLAYER_OK) {
        refinement->judge = valuation->judge;
        refinement->judge.errors = own;
        refinement->query = valuation->query;
        atomic_init(&refinement->stopped, false);
        for (int round = 0; round < ROUNDS; round++, radius *= 0.5)
            refine(valuation, refinement, radius, entry, count);
        map->cancelled = atomic_load(&refinement->stopped);
    }
    if (status == PLAYER_OK && !map->cancelled)
        status = rank(valuation, entry, count, map);
    free(own);
    free(refinement);
    return status;
}
