/* Ladders of Elo ratings. */
#include "service/routes/routes.h"

#include "api/curling/match_record.h"
#include "models/game/rules.h"
#include "models/tables/profiles.h"
#include "service/store/results.h"

/* GET /v1/ratings   ?profile&ends&extra_ends   →   200
 * {"profile","ends","extra_ends","anchor","seat_advantage_elo","at","job",
 * "items":[{"player","name","elo","low","high","pairs"}]}, best first; all of them on one page, as
 * there are never more than players */
enum api_error route_ratings(struct http_request *request)
{
    struct ladder_games games = {.profile = http_parameter(request, "profile")};
    json_t *head, *items;
    enum api_error error =
        http_whole_parameter(request, "ends", 1, PAIR_ENDS_MAX, PAIR_ENDS, &games.ends);

    if (error == API_OK)
        error = http_whole_parameter(request, "extra_ends", 0, PAIR_EXTRA_ENDS_MAX, PAIR_EXTRA_ENDS,
                                     &games.extra_ends);
    if (error != API_OK)
        return error;
    if (!games.profile)
        games.profile = profile_at(0)->name;
    if (!rules_find(games.profile))
        return http_problem(request, API_BAD_PARAMETER, "profile: there is no such profile");
    error = results_ratings(request->store, &games, &head, &items);
    if (error != API_OK)
        return error;
    if (!name_players(request->store, items)) {
        json_decref(head);
        json_decref(items);
        return API_NO_MEMORY;
    }
    json_t *ladder = json_is_object(head) ? json_copy(head)
                                          : json_pack("{s:n, s:n, s:n, s:n}", "anchor",
                                                      "seat_advantage_elo", "at", "job");
    json_decref(head);
    json_object_set_new(ladder, "profile", json_string(games.profile));
    json_object_set_new(ladder, "ends", json_integer(games.ends));
    json_object_set_new(ladder, "extra_ends", json_integer(games.extra_ends));
    json_object_set_new(ladder, "items", items);
    return http_json(request, 200, ladder);
}
