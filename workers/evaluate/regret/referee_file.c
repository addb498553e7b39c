/* Finalists and the file of what a referee said of them. See referee_file.h. */
#include "workers/evaluate/regret/referee_file.h"

#include "api/base/strict_json.h"
#include "models/ice/noise.h"
#include "models/tables/profiles.h"

#include <math.h>
#include <stdlib.h>

#define VELOCITY_MOST_MPS 1000.0
#define OMEGA_MOST_RADPS  1000.0

/* ---- finalists ---- */

/* Each look of `adjusted` costs much: it takes fewer. */
#define TO(few, many)                                                                    \
    {                                                                                    \
        [REFEREE_ADJUSTED] = (few), [REFEREE_DEEP] = (many), [REFEREE_PLAYOUTS] = (many) \
    }

/* Who proposes shots, and how many of its best to each referee. The seed is that of the key below.
 */
static const struct {
    const char *player;
    int64_t simulations;
    int shots[REFEREE_PLAYOUTS + 1];
} proposers[] = {{"rink:opponent=best", 400000, TO(3, 6)},
                 {"rink", 100000, TO(0, 1)},
                 {"rink:opponent=best", 8000, TO(1, 1)},
                 {"kr-uct:simulations=1600", 0, TO(0, 1)}};

enum { PROPOSERS = sizeof proposers / sizeof proposers[0] };

static void add_finalist(struct refereed *refereed, struct shot shot)
{
    for (int k = 0; k < refereed->count; k++) {
        const struct shot *other = &refereed->finalists[k].shot;
        if (other->velocity.x == shot.velocity.x && other->velocity.y == shot.velocity.y &&
            other->omega == shot.omega)
            return;
    }
    if (refereed->count < REFEREE_FINALISTS_MAX)
        refereed->finalists[refereed->count++].shot = shot;
}

static struct shot best_of(const struct refereed *refereed)
{
    double most = -INFINITY;
    int best = 0;

    for (int k = 0; k < refereed->count; k++) {
        double sum = 0.0;
        for (int block = 0; block < REFEREE_BLOCKS; block++)
            sum += refereed->finalists[k].block[block].win;
        if (sum > most) {
            most = sum;
            best = k;
        }
    }
    return refereed->finalists[best].shot;
}

enum player_status referee_finalists(enum referee_kind kind, const struct game *game, int number,
                                     const struct refereed *earlier, int threads,
                                     const atomic_bool *cancel, struct refereed *ret_refereed)
{
    const struct profile *profile = profile_of(game->rules);
    const struct noise noise = noise_default(profile->ice, profile->ice->noise);
    struct player_answer *answer = malloc(sizeof *answer); /* large */
    enum player_status status = answer ? PLAYER_OK : PLAYER_NO_MEMORY;

    *ret_refereed = (struct refereed){.count = 0};
    for (int k = 0; status == PLAYER_OK && k < PROPOSERS; k++) {
        const int shots = proposers[k].shots[kind];
        struct player player;
        char error[PLAYER_ERROR_MAX];
        const struct player_query query = {
            .game = game,
            .ice = profile->ice,
            .noise = &noise,
            .limits = {.simulations = proposers[k].simulations, .threads = threads},
            .key = {.seed = REFEREE_FINALISTS_SEED,
                    .stream = (uint64_t)k,
                    .game = (uint64_t)number},
            .candidates = shots,
            .cancel = cancel};
        if (shots == 0)
            continue;
        status = player_read(proposers[k].player, &player, sizeof error, error)
                     ? player_choose(&player, &query, answer)
                     : PLAYER_FAILED;
        if (status != PLAYER_OK)
            break;
        add_finalist(ret_refereed, answer->shot);
        for (int c = 1; c < answer->candidates && c < shots; c++)
            add_finalist(ret_refereed, answer->candidate[c].candidate.shot);
    }
    if (earlier)
        add_finalist(ret_refereed, best_of(earlier));
    free(answer);
    return status;
}

/* ---- writing ---- */

static json_t *whole(double number)
{
    return json_integer((json_int_t)llround(number * REFEREE_STEPS));
}

static json_t *shot_json(const struct refereed_shot *shot)
{
    json_t *win = json_array(), *points = json_array();

    for (int k = 0; k < REFEREE_BLOCKS; k++) {
        json_array_append_new(win, whole(shot->block[k].win));
        json_array_append_new(points, whole(shot->block[k].points));
    }
    return json_pack("{s:[f, f, f], s:o, s:o}", "shot", shot->shot.velocity.x,
                     shot->shot.velocity.y, shot->shot.omega, "win", win, "points", points);
}

bool referee_file_write(FILE *out, int number, const struct refereed *refereed)
{
    json_t *list = json_array();

    for (int k = 0; k < refereed->count; k++)
        json_array_append_new(list, shot_json(&refereed->finalists[k]));
    json_t *line = json_pack("{s:i, s:o}", "number", number, "finalists", list);
    /* 17 digits: a shot reads back as it was */
    bool good = line && json_dumpf(line, out, JSON_COMPACT | JSON_REAL_PRECISION(17)) == 0 &&
                fputc('\n', out) != EOF && fflush(out) == 0;
    json_decref(line);
    return good;
}

/* ---- reading ---- */

static bool read_numbers(const struct strict_place *object, const char *name, size_t count,
                         double most, double *ret_numbers)
{
    const struct strict_place list = strict_member(object, name);

    if (!strict_array(&list, count, count))
        return false;
    for (size_t k = 0; k < count; k++) {
        const struct strict_place element = strict_element(&list, k);
        if (!strict_number(&element, -most, most, &ret_numbers[k]))
            return false;
    }
    return true;
}

static bool read_shot(const struct strict_place *place, struct refereed_shot *ret_shot)
{
    static const char *const members[] = {"shot", "win", "points", NULL};
    double shot[3], win[REFEREE_BLOCKS], points[REFEREE_BLOCKS];

    if (!strict_object(place, members) ||
        !read_numbers(place, "shot", 3, VELOCITY_MOST_MPS, shot) ||
        !read_numbers(place, "win", REFEREE_BLOCKS, REFEREE_WIN_MOST * REFEREE_STEPS, win) ||
        !read_numbers(place, "points", REFEREE_BLOCKS, REFEREE_POINTS_MOST * REFEREE_STEPS, points))
        return false;
    *ret_shot = (struct refereed_shot){.shot = {.velocity = {shot[0], shot[1]}, .omega = shot[2]}};
    for (int k = 0; k < REFEREE_BLOCKS; k++)
        ret_shot->block[k] =
            (struct referee_value){win[k] / REFEREE_STEPS, points[k] / REFEREE_STEPS};
    return true;
}

static bool take(void *context, int number, const struct strict_place *line)
{
    static const char *const members[] = {"number", "finalists", NULL};
    struct refereed *refereed = (struct refereed *)context + number;
    const struct strict_place list = strict_member(line, "finalists");

    if (!strict_object(line, members) || !strict_array(&list, 1, REFEREE_FINALISTS_MAX))
        return false;
    *refereed = (struct refereed){.count = (int)json_array_size(list.value)};
    for (int k = 0; k < refereed->count; k++) {
        const struct strict_place element = strict_element(&list, (size_t)k);
        if (!read_shot(&element, &refereed->finalists[k]))
            return false;
    }
    return true;
}

int referee_file_read(const char *path, int most, struct refereed **ret_refereed,
                      char ret_error[SITUATIONS_ERROR_MAX])
{
    struct refereed *all = calloc((size_t)most, sizeof *all);
    int count = all ? numbered_lines_read(path, most, take, all, ret_error) : -1;

    if (!all)
        snprintf(ret_error, SITUATIONS_ERROR_MAX, "%.180s: out of memory", path);
    if (count >= 0)
        *ret_refereed = all;
    else
        free(all);
    return count;
}
