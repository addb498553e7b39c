/* Questions about positions that need no physics: their score, and whether they are legal. */
#include "service/routes/routes.h"

#include "api/curling/game_json.h"
#include "models/game/score.h"

#include <string.h>

/* The counting stones as in Digital Curling: [{"team","slot"}], nearest first. */
static json_t *counting_json(const struct rules *rules, const struct position *position,
                             bool team0_has_hammer)
{
    uint16_t counting = score_counting(rules, position, team0_has_hammer);
    int order[POSITION_STONES], stones = score_order(position, order);
    json_t *list = json_array();

    for (int k = 0; k < stones; k++)
        if (counting >> order[k] & 1)
            json_array_append_new(list, json_pack("{s:i, s:i}", "team",
                                                  team_of_stone(order[k], team0_has_hammer), "slot",
                                                  slot_of_stone(order[k])));
    return list;
}

/* POST /v1/positions/score   {"profile","stones","hammer"?}   →   200
 * {"team0":1,"team1":0,"counting":[{"team":0,"slot":3}]} */
enum api_error route_position_score(struct http_request *request)
{
    struct game_board board;

    if (!game_board_decode(request->body, &board, &request->errors))
        return API_BAD_FIELD;
    int score = score_position(board.rules, &board.position, board.team0_has_hammer);
    int team0 = board.team0_has_hammer
                    ? -score
                    : score; /* positive scores are for the team without the hammer */
    return http_json(
        request, 200,
        json_pack("{s:i, s:i, s:o}", "team0", team0 > 0 ? team0 : 0, "team1",
                  team0 < 0 ? -team0 : 0, "counting",
                  counting_json(board.rules, &board.position, board.team0_has_hammer)));
}

/* Whether all mistakes are inside the state. */
static bool is_about_state(const struct strict_errors *errors)
{
    static const char state[] = "/state";

    for (int k = 0; k < errors->count; k++) {
        const char *pointer = errors->error[k].pointer;
        if (strncmp(pointer, state, sizeof state - 1) != 0 ||
            (pointer[sizeof state - 1] != '\0' && pointer[sizeof state - 1] != '/'))
            return false;
    }
    return true;
}

/* POST /v1/positions/validate   {"profile","state","setting"?}   →   200
 * {"valid":false,"errors":[{"pointer","code","message"}]}; 422 for mistakes around the state */
enum api_error route_position_validate(struct http_request *request)
{
    static const char *const keys[] = {"profile", "state", "setting", NULL};
    struct game game;
    const struct strict_place root = strict_root(request->body, &request->errors);

    if (!strict_object(&root, keys) || request->errors.count > 0)
        return API_BAD_FIELD;
    bool valid = game_decode(&root, &game);
    if (!json_object_get(request->body, "state") || !is_about_state(&request->errors))
        return API_BAD_FIELD;
    return http_json(
        request, 200,
        json_pack("{s:b, s:o}", "valid", valid, "errors", strict_errors_json(&request->errors)));
}
