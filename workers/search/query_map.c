/* Maps and calls: from a query to the JSON of its answers. See query.h. */
#include "models/tables/profiles.h"
#include "workers/search/maps/calls.h"
#include "workers/search/maps/map.h"
#include "workers/search/query.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- calls as shots ---- */

void query_choose_calls(struct query *query)
{
    const struct shot_query *asked = &query->asked;
    const struct ice_profile *ice = profile_of(asked->game.rules)->ice;

    if (query->player.class != &player_rink)
        strict_refuse_at(&query->errors, "/player", "value",
                         "shots are valued by the judge of the player rink, with any settings");
    for (int k = 0; k < asked->calls; k++) {
        const struct call *call = &asked->call[k];
        char pointer[40];
        snprintf(pointer, sizeof pointer, "/calls/%d/aim", k);
        query->calls[k] = call->shot;
        if (!call->has_shot &&
            !aims_shot(ice, call->aim, call->weight, call->clockwise, &query->calls[k]))
            strict_refuse_at(&query->errors, pointer, "value",
                             "no shot of this weight and turn gets there: it would leave the sheet "
                             "or be too hard");
    }
}

/* ---- answers ---- */

struct writing {
    const struct query *query;
    const struct player_query *asked;
    double waited_s;
    void (*write_answer)(void *context, json_t *answer);
    void *context;
};

/* Why it ended before its end; NULL: it did not. */
static const char *stopped_by(const struct writing *writing, bool cancelled)
{
    if (!cancelled)
        return NULL;
    const atomic_bool *cancel = writing->asked->cancel;
    return cancel && atomic_load(cancel) ? "cancel" : "timeout";
}

static struct valued_mean mean_of(struct appraised_mean mean)
{
    return (struct valued_mean){mean.mean, mean.error};
}

/* Fills in what maps and calls tell of a shot; `path` has room for QUERY_PATH_MAX points. */
static void write_valued(const struct query *query, const struct valued *valued, struct vec2 *path,
                         struct valued_shot *ret_shot)
{
    const struct appraised *appraised = &valued->appraised;
    struct shot shot = valued->candidate.shot;

    *ret_shot = (struct valued_shot){
        .shot = shot,
        .kind = shot_kind_name(valued->kind),
        .win = mean_of(appraised->win),
        .points = mean_of(appraised->points),
        .win_less = mean_of(appraised->win_less),
        .points_less = mean_of(appraised->points_less),
        .win_cost = valued->exact_win - appraised->win.mean,
        .points_cost = valued->exact_points - appraised->points.mean,
        .score_distribution = appraised->scores.p,
        .path = path,
        .path_points = query_path(query, shot, path),
    };
}

/* Completes an answer with what both have, and gives it to its writer. */
static void write_whole(const struct writing *writing, struct map_answer *answer)
{
    const struct query *query = writing->query;
    char spec[PLAYER_SPEC_MAX];

    player_write(&query->player, sizeof spec, spec);
    answer->id = &query->id;
    answer->rules = query->asked.game.rules;
    answer->team = game_next_team(&query->asked.game);
    answer->player_name = query->player.class->name;
    answer->player_spec = spec;
    answer->seed = query->asked.seed;
    answer->queue_s = writing->waited_s;
    writing->write_answer(writing->context, map_answer_json(answer));
}

/* ---- a map ---- */

static void write_map(const struct writing *writing, const struct map *map, bool is_final)
{
    struct valued_shot best[MAP_BEST];
    struct vec2 path[MAP_BEST][QUERY_PATH_MAX];
    struct map_answer answer = {.is_final = is_final,
                                .stopped = stopped_by(writing, is_final && map->cancelled),
                                .low = {AIMS_LEFT_X, AIMS_NEAR_Y},
                                .high = {AIMS_RIGHT_X, AIMS_FAR_Y},
                                .throws = map->throws,
                                .layer = map->layer,
                                .layers = MAP_LAYERS,
                                .best = best,
                                .best_count = map->best_count,
                                .simulations = map->simulations,
                                .elapsed_s = map->elapsed_s};

    for (int k = 0; k < map->best_count; k++) {
        write_valued(writing->query, &map->best[k].valued, path[k], &best[k]);
        best[k].weight = aim_weight_names[map->best[k].weight];
    }
    write_whole(writing, &answer);
}

static void report_map(void *context, const struct map *so_far)
{
    write_map(context, so_far, false);
}

static enum player_status answer_map(struct writing *writing)
{
    const struct query *query = writing->query;
    struct map map;
    enum player_status status = map_make(&query->asked.map, &query->player, writing->asked,
                                         writing->asked->report ? report_map : NULL, writing, &map);

    if (status == PLAYER_OK) {
        write_map(writing, &map, true);
        map_free(&map);
    }
    return status;
}

/* ---- calls ---- */

static void write_calls(const struct writing *writing, const struct call_value *value, int count,
                        struct map_answer *answer)
{
    const struct shot_query *asked = &writing->query->asked;
    struct valued_shot shots[CALLS_MAX];
    struct vec2 path[CALLS_MAX][QUERY_PATH_MAX];

    for (int k = 0; k < count; k++) {
        write_valued(writing->query, &value[k].valued, path[k], &shots[k]);
        if (!asked->call[k].has_shot)
            shots[k].weight = aim_weight_names[asked->call[k].weight];
        shots[k].ends = value[k].ends;
        shots[k].ends_count = value[k].ends_count;
        shots[k].line = value[k].line;
        shots[k].weights = value[k].weight;
    }
    answer->best = shots;
    answer->best_count = count;
    write_whole(writing, answer);
}

static enum player_status answer_calls(struct writing *writing)
{
    const struct query *query = writing->query;
    const struct shot_query *asked = &query->asked;
    struct call_value *value = calloc(CALLS_MAX, sizeof *value);
    double start_s = clock_now_s();
    struct map_answer answer = {.is_final = true, .throws = asked->call_throws};
    bool cancelled;

    if (!value)
        return PLAYER_NO_MEMORY;
    enum player_status status =
        calls_value(&query->player, writing->asked, query->calls, asked->calls, asked->call_throws,
                    value, &answer.simulations, &cancelled);
    answer.elapsed_s = clock_now_s() - start_s;
    if (status == PLAYER_OK) {
        answer.stopped = stopped_by(writing, cancelled);
        write_calls(writing, value, cancelled ? 0 : asked->calls, &answer);
    }
    free(value);
    return status;
}

enum player_status query_map_answer(const struct query *query, const struct player_query *asked,
                                    double waited_s,
                                    void (*write_answer)(void *context, json_t *answer),
                                    void *context)
{
    struct writing writing = {.query = query,
                              .asked = asked,
                              .waited_s = waited_s,
                              .write_answer = write_answer,
                              .context = context};

    return query->asked.asks == SHOT_ASKS_MAP ? answer_map(&writing) : answer_calls(&writing);
}
