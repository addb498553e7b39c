/* The library: positions that people keep, and puzzles; a review fills it with its mistakes. */
#include "service/routes/routes.h"

#include "api/base/build_json.h"
#include "api/curling/game_json.h"
#include "service/routes/owner.h"
#include "service/store/jobs.h"
#include "service/store/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TITLE_MAX = 200, /* bytes, as of the others */
    NOTE_MAX = 10000,
    TAGS_MAX = 16,
    TAG_MAX = 100,
    FILL_MOST = 32, /* puzzles from a review */
    FILL_USUAL = 5
};

/* ---- reading ---- */

/* Checks the members that people write; missing ones are fine. */
static void check_words(const struct strict_place *root)
{
    const struct strict_place title = strict_member(root, "title");
    const struct strict_place note = strict_member(root, "note");
    const struct strict_place tags = strict_member(root, "tags");
    const struct strict_place puzzle = strict_member(root, "puzzle");
    const char *text;
    bool flag;

    if (!strict_is_missing(&title))
        strict_text(&title, TITLE_MAX, &text);
    if (!strict_is_missing(&note) &&
        (!json_is_string(note.value) || json_string_length(note.value)))
        strict_text(&note, NOTE_MAX, &text);
    if (!strict_is_missing(&puzzle))
        strict_flag(&puzzle, &flag);
    if (strict_is_missing(&tags) || !strict_array(&tags, 0, TAGS_MAX))
        return;
    for (size_t k = 0; k < json_array_size(tags.value); k++) {
        const struct strict_place tag = strict_element(&tags, k);
        strict_text(&tag, TAG_MAX, &text);
    }
}

/* Puts the position as the service writes it in place of that of the body. */
static bool set_position(json_t *body, const struct game *game)
{
    json_t *state = game_state_json(game);
    json_t *setting =
        json_pack("{s:i, s:i}", "max_end", game->ends, "extra_ends", game->extra_ends);
    bool good = build_add(body, "state", state);

    return build_add(body, "setting", setting) && good;
}

/* POST /v1/library   {"title","profile","state","setting"?,"tags"?,"note"?,"puzzle"?,"best"?}   →
 * 201 the position */
enum api_error check_library(struct http_request *request)
{
    static const char *const keys[] = {"title", "profile", "state", "setting", "tags",
                                       "note",  "puzzle",  "best",  NULL};
    const struct strict_place root = strict_root(request->body, &request->errors);
    const struct strict_place title = strict_member(&root, "title");
    const struct strict_place best = strict_member(&root, "best");
    struct game game;
    struct shot shot;

    if (!strict_object(&root, keys))
        return API_BAD_FIELD;
    if (strict_is_missing(&title))
        strict_refuse(&title, "missing", "is missing");
    check_words(&root);
    if (!game_decode(&root, &game))
        return API_BAD_FIELD;
    if (!strict_is_missing(&best))
        game_shot_read(&best, game.rules, &shot);
    if (request->errors.count > 0)
        return API_BAD_FIELD;
    return set_position(request->body, &game) ? API_OK : API_NO_MEMORY;
}

/* ---- adding ---- */

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* Adds the position of a document like the body of POST /v1/library. */
static enum api_error add(struct http_request *request, const json_t *document,
                          struct library_new *position, int64_t *ret_id)
{
    const json_t *tags = json_object_get(document, "tags");
    const json_t *best = json_object_get(document, "best");
    const char *note = text_of(document, "note");
    char *tags_text = tags ? json_dumps(tags, JSON_COMPACT) : strdup("[]");
    char *state = json_dumps(json_object_get(document, "state"), JSON_COMPACT);
    char *setting = json_dumps(json_object_get(document, "setting"), JSON_COMPACT);
    char *shot = json_is_object(best) ? json_dumps(best, JSON_COMPACT) : NULL;
    bool good = tags_text && state && setting && (shot || !json_is_object(best));
    enum api_error error = API_NO_MEMORY;

    position->title = text_of(document, "title");
    position->note = note ? note : "";
    position->tags = tags_text;
    position->profile = text_of(document, "profile");
    position->state = state;
    position->setting = setting;
    position->best = shot;
    position->owner = request->token ? request->token : "";
    position->is_puzzle = json_is_true(json_object_get(document, "puzzle"));
    if (good)
        error = library_store_add(request->store, position, request->now_ms, ret_id);
    free(tags_text);
    free(state);
    free(setting);
    free(shot);
    return error == API_STATE ? http_problem_about(request, API_STATE,
                                                   "there are %d positions already", LIBRARY_MAX)
                              : error;
}

enum api_error route_library_add(struct http_request *request)
{
    struct library_new position = {.cost = NAN};
    json_t *added = NULL;
    int64_t id = 0;
    enum api_error error = add(request, request->body, &position, &id);

    if (error == API_OK)
        error = library_store_get(request->store, id, &added);
    if (error != API_OK)
        return error;
    answer_location(request, "library/%lld", (long long)id);
    return http_json(request, 201, added);
}

/* ---- from a review ---- */

/* The whole position of a key shot of a review: {"profile","state","setting"}. */
static json_t *position_of(const json_t *result, const json_t *shot)
{
    const char *team = text_of(shot, "team");
    bool is_team0 = team && strcmp(team, "team0") == 0;
    bool has_hammer = json_is_true(json_object_get(shot, "hammer"));
    json_int_t end = json_integer_value(json_object_get(shot, "end"));
    json_t *scores = json_object();
    bool good = scores != NULL;

    for (int k = 0; k < 2; k++) {
        const json_t *all = json_object_get(json_object_get(result, "scores"), game_team_name(k));
        json_t *told = json_array();
        for (json_int_t n = 0; n < end; n++)
            good = build_append(told, json_incref(json_array_get(all, (size_t)n))) && good;
        good = build_add(scores, game_team_name(k), told) && good;
    }
    json_t *document = json_pack(
        "{s:O, s:{s:O, s:O, s:s, s:o, s:O}, s:{s:O, s:O}}", "profile",
        json_object_get(result, "profile"), "state", "end", json_object_get(shot, "end"), "shot",
        json_object_get(shot, "shot"), "hammer", game_team_name(is_team0 == has_hammer ? 0 : 1),
        "scores", scores, "stones", json_object_get(shot, "stones"), "setting", "max_end",
        json_object_get(result, "ends"), "extra_ends", json_object_get(result, "extra_ends"));
    return build_done(document, good);
}

/* A puzzle from a key shot; NULL: its position cannot be taken up, or memory is short. */
static json_t *puzzle_of(const json_t *job, const json_t *result, const json_t *shot)
{
    struct strict_errors errors = {.count = 0};
    json_t *document = position_of(result, shot);
    const json_t *best = json_object_get(json_object_get(shot, "best"), "shot");
    const struct strict_place root = strict_root(document, &errors);
    struct game game;

    if (!document || !game_decode(&root, &game)) {
        json_decref(document);
        return NULL;
    }
    bool good = set_position(document, &game);
    good = build_add(document, "title",
                     json_sprintf("End %d, shot %d of review %lld", game.end + 1, game.shot + 1,
                                  (long long)json_integer_value(json_object_get(job, "id")))) &&
           good;
    good = build_add(document, "tags", json_pack("[s]", "mistake")) && good;
    good = build_add(document, "puzzle", json_true()) && good;
    if (json_is_object(best))
        good = build_add(document, "best", json_incref((json_t *)(size_t)best)) && good;
    return build_done(document, good);
}

/* Adds the worst calls of a review, at most `most`; those that are there stay. */
static enum api_error fill(struct http_request *request, const json_t *job, int64_t most)
{
    const json_t *result = json_object_get(job, "result"), *shot;
    enum api_error error = API_OK;
    size_t k;

    json_array_foreach(json_object_get(result, "key"), k, shot)
    {
        if (error != API_OK || (int64_t)k >= most)
            break;
        struct library_new position = {
            .cost = json_number_value(json_object_get(json_object_get(shot, "call"), "win")),
            .review = json_integer_value(json_object_get(job, "id")),
            .number = json_integer_value(json_object_get(shot, "number"))};
        json_t *document = puzzle_of(job, result, shot);
        int64_t id;
        if (!document)
            return API_NO_MEMORY;
        error = add(request, document, &position, &id);
        json_decref(document);
        if (error == API_EXISTS)
            error = API_OK;
    }
    return error;
}

/* POST /v1/reviews/{id}/puzzles   {"most"?}   →   200 {"items":[the puzzles of this review],…} */
enum api_error check_puzzles(struct http_request *request)
{
    static const char *const keys[] = {"most", NULL};
    const struct strict_place root = strict_root(request->body, &request->errors);
    int64_t most;

    if (!request->body)
        return API_OK;
    if (!strict_object(&root, keys))
        return API_BAD_FIELD;
    strict_optional_whole(&root, "most", 1, FILL_MOST, &most);
    return API_OK;
}

enum api_error route_puzzles_add(struct http_request *request)
{
    const json_t *most = json_object_get(request->body, "most");
    const struct library_filter filter = {.review = http_id(request)};
    json_t *job;
    enum api_error error = job_store_get(request->store, http_id(request), &job);

    if (error != API_OK)
        return error;
    const char *kind = text_of(job, "kind");
    if (!owner_sees(request, text_of(job, "owner")))
        error =
            http_problem(request, API_FORBIDDEN,
                         "reviews of others need the scope read, which this token does not have");
    else if (!kind || strcmp(kind, "review") != 0 ||
             !json_object_get(json_object_get(job, "result"), "shots"))
        error = http_problem(request, API_NOT_FOUND, "there is no review of this number yet");
    else if ((error = fill(request, job, most ? json_integer_value(most) : FILL_USUAL)) == API_OK) {
        request->page.limit = STORE_PAGE_DEFAULT;
        error = answer_list(request, library_store_list(request->store, &filter, &request->page));
    }
    json_decref(job);
    return error;
}

/* ---- looking and changing ---- */

/* GET /v1/library   ?tag&puzzle=true&limit&cursor&fields   →   200 {"items":[…],"next_cursor"} */
enum api_error route_library(struct http_request *request)
{
    const char *puzzle = http_parameter(request, "puzzle");
    const struct library_filter filter = {.tag = http_parameter(request, "tag"),
                                          .puzzles = puzzle && strcmp(puzzle, "true") == 0,
                                          .owner = owner_sees_all(request) ? NULL : request->token};

    if (puzzle && strcmp(puzzle, "true") != 0 && strcmp(puzzle, "false") != 0)
        return http_problem(request, API_BAD_PARAMETER, "puzzle is true or false");
    return answer_list(request, library_store_list(request->store, &filter, &request->page));
}

/* GET /v1/library/{id}   →   200 */
enum api_error route_library_one(struct http_request *request)
{
    json_t *position = NULL;
    enum api_error error = library_store_get(request->store, http_id(request), &position);

    if (error == API_OK && !owner_sees(request, text_of(position, "owner"))) {
        json_decref(position);
        return API_NOT_FOUND;
    }
    return answer_with(request, error, position);
}

/* Whether the caller may change a position: its own, or with the scope admin any. */
static enum api_error check_owner(struct http_request *request)
{
    char owner[JOB_OWNER_MAX];
    enum api_error error = library_store_owner(request->store, http_id(request), owner);

    if (error != API_OK || owner_is_good(request, owner))
        return error;
    return http_problem(request, API_FORBIDDEN,
                        "only who added a position, or a token with the scope admin, changes it");
}

/* PATCH /v1/library/{id}   {"title"?,"tags"?,"note"?,"puzzle"?}   →   200 the position */
enum api_error check_library_change(struct http_request *request)
{
    static const char *const keys[] = {"title", "tags", "note", "puzzle", NULL};
    const struct strict_place root = strict_root(request->body, &request->errors);

    if (!strict_object(&root, keys))
        return API_BAD_FIELD;
    check_words(&root);
    return API_OK;
}

enum api_error route_library_change(struct http_request *request)
{
    const json_t *tags = json_object_get(request->body, "tags");
    const json_t *puzzle = json_object_get(request->body, "puzzle");
    char *text = tags ? json_dumps(tags, JSON_COMPACT) : NULL;
    json_t *position = NULL;
    enum api_error error = tags && !text ? API_NO_MEMORY : check_owner(request);

    if (error == API_OK)
        error = library_store_change(
            request->store, http_id(request), text_of(request->body, "title"),
            text_of(request->body, "note"), text, puzzle ? json_is_true(puzzle) : -1);
    free(text);
    if (error == API_OK)
        error = library_store_get(request->store, http_id(request), &position);
    return answer_with(request, error, position);
}

/* DELETE /v1/library/{id}   →   204 */
enum api_error route_library_delete(struct http_request *request)
{
    enum api_error error = check_owner(request);

    return error != API_OK
               ? error
               : answer_deleted(request, library_store_delete(request->store, http_id(request)));
}
