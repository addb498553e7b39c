/* Shot queries as texts and documents, for tests that read what they wrote. */
#ifndef RINKD_TESTS_SHOT_QUERY_H
#define RINKD_TESTS_SHOT_QUERY_H

#include "api/base/build_json.h"
#include "api/curling/game_json.h"
#include "api/curling/shot_json.h"

#include <math.h>

/* shot_query_decode() of a text of any bytes. */
static inline bool shot_query_read(const char *text, size_t length, struct shot_query *ret_query,
                                   struct strict_id *ret_id, struct strict_errors *ret_errors)
{
    ret_errors->count = ret_errors->dropped = 0;
    json_t *document =
        strict_parse(text, length, SHOT_QUERY_BYTES_MAX, SHOT_QUERY_DEPTH_MAX, ret_errors);
    if (!document) {
        if (ret_id)
            *ret_id = (struct strict_id){.kind = STRICT_ID_NONE};
        return false;
    }
    bool good = shot_query_decode(document, ret_query, ret_id, ret_errors);
    json_decref(document);
    return good;
}

static inline json_t *noise_json(const struct noise_settings *noise)
{
    const struct noise_setting *setting;
    json_t *object = json_object();
    bool good = object != NULL;

    for (int k = 0; (setting = noise_setting_at(k)) != NULL; k++)
        if (!isnan(noise_setting_of(noise, k)))
            good = build_add(object, setting->name, json_real(noise_setting_of(noise, k))) && good;
    return build_done(object, good);
}

static inline json_t *limits_json(const struct shot_query *query)
{
    json_t *object = json_object();
    bool good = object != NULL;

    if (query->time_s > 0.0)
        good = build_add(object, "time_ms", json_integer(llround(query->time_s * 1000.0))) && good;
    if (query->simulations > 0)
        good = build_add(object, "simulations", json_integer(query->simulations)) && good;
    return build_done(object, good);
}

/* The query as a document that reads back as this query; absent members stay absent. The caller
 * owns it; NULL when memory is short. */
static inline json_t *shot_query_json(const struct shot_query *query)
{
    const struct game *game = &query->game;
    json_t *object = json_object();
    bool good = object != NULL;

    if (query->id.kind != STRICT_ID_NONE)
        good = build_add(object, "id", strict_id_json(&query->id)) && good;
    good = build_add(object, "profile", json_string(game->rules->name)) && good;
    good = build_add(object, "state", game_state_json(game)) && good;
    good =
        build_add(object, "setting",
                  json_pack("{s:i,s:i}", "max_end", game->ends, "extra_ends", game->extra_ends)) &&
        good;
    if (query->player[0])
        good = build_add(object, "player", json_string(query->player)) && good;
    good = build_add(object, "limits", limits_json(query)) && good;
    good = build_add(object, "noise", noise_json(&query->noise)) && good;
    good = build_add(object, "seed", json_integer(query->seed)) && good;
    good = build_add(object, "top_k", json_integer(query->candidates)) && good;
    good = build_add(object, "diversity", json_string(query->diverse ? "kind" : "none")) && good;
    if (query->timeout_s > 0.0)
        good = build_add(object, "timeout_ms", json_integer(llround(query->timeout_s * 1000.0))) &&
               good;
    if (query->report_interval_s > 0.0)
        good = build_add(object, "report_interval_ms",
                         json_integer(llround(query->report_interval_s * 1000.0))) &&
               good;
    return build_done(object, good);
}

#endif
