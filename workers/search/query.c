/* Handles one query, from its text to the text of its answer. See query.h. */
#include "workers/search/query.h"

#include "models/networks/end_value.h"
#include "models/tables/profiles.h"
#include "workers/match_clock.h"
#include "workers/search/player/hand_noise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A clock that has run out still leaves this much. */
#define CLOCK_LEAST_S 0.001

/* ---- reading ---- */

static void choose_player(const struct query_host *host, struct query *query)
{
    const char *spec = query->asked.player[0] ? query->asked.player : host->default_player;
    const struct player *player = &query->player;
    char message[STRICT_MESSAGE_MAX + 1];

    if (!host->read_player(spec, &query->player, sizeof message, message) ||
        (player->class->check_rules &&
         !player->class->check_rules(player, query->asked.game.rules, sizeof message, message)))
        strict_refuse_at(&query->errors, "/player", "value", "%s", message);
}

/* The hand of each shot of the end, by its thrower. */
static void choose_hands(struct query *query)
{
    const struct shot_query *asked = &query->asked;
    const struct rules *rules = asked->game.rules;
    const struct ice_profile *ice = profile_of(rules)->ice;

    for (int shot = 0; shot < rules->shots; shot++) {
        int stone = rules_stone_of_shot(rules, shot), thrower = rules_thrower_of_shot(rules, shot);
        int team = team_of_stone(stone, game_team0_has_hammer(&asked->game));
        const struct hand *hand = &asked->hands[team][thrower];
        struct noise *noise = &query->hands[shot];
        *noise = hand_noise(hand, ice);
        enum noise_status status = noise_check(noise);
        if (status != NOISE_OK)
            strict_refuse_at(&query->errors, "/hands", "value", "%s", noise_status_text(status));
    }
    query->noise = query->hands[asked->game.shot];
}

static void choose_noise(struct query *query)
{
    const struct noise_settings *asked = &query->asked.noise;
    const struct ice_profile *ice = profile_of(query->asked.game.rules)->ice;
    struct noise noise = noise_asked(ice, asked);
    enum noise_status status = noise_check(&noise);
    if (status != NOISE_OK)
        strict_refuse_at(&query->errors, "/noise", "value", "%s", noise_status_text(status));
    query->noise = noise;
    if (query->asked.has_hands && query->errors.count == 0)
        choose_hands(query);
}

/* Tells what the throws of the history were; the query keeps no more of them. */
static void read_history(struct query *query)
{
    struct shot_query *asked = &query->asked;
    const struct rules *rules = asked->game.rules;
    char pointer[STRICT_POINTER_MAX];

    query->has_seen = asked->history != NULL;
    query->seen_count = asked->history_count;
    for (int k = 0; k < asked->history_count; k++)
        if (!style_see(rules, profile_of(rules)->ice, &asked->history[k], &query->seen[k])) {
            snprintf(pointer, sizeof pointer, "/history/%d/shot", k);
            strict_refuse_at(&query->errors, pointer, "value", "cannot be thrown");
        }
    shot_query_free(asked);
}

void query_decode(const struct query_host *host, json_t *document, struct query *ret_query)
{
    struct query *query = ret_query;

    query->line = 0;
    query->is_good = false;
    if (!shot_query_decode(document, &query->asked, &query->id, &query->errors))
        return;
    read_history(query);
    choose_player(host, query);
    choose_noise(query);
    if (query->asked.asks != SHOT_ASKS_BEST && query->errors.count == 0)
        query_choose_calls(query);
    query->is_good = query->errors.count == 0;
}

void query_read(const struct query_host *host, const char *text, size_t length,
                struct query *ret_query)
{
    *ret_query = (struct query){.is_good = false};
    json_t *document =
        strict_parse(text, length, SHOT_QUERY_BYTES_MAX, SHOT_QUERY_DEPTH_MAX, &ret_query->errors);
    if (!document)
        return;
    query_decode(host, document, ret_query);
    json_decref(document);
}

/* ---- writing ---- */

/* A query while it is being answered. */
struct work {
    const struct query *query;
    const struct ice_profile *ice;
    double waited_s;
    atomic_bool *cancel;
    query_write *write;
    void *context;
    bool broken; /* writing failed */
    bool no_memory;
};

/* Writes the object as a line. Takes ownership of it. */
static void write_object(struct work *work, json_t *object)
{
    char *text = object ? shot_answer_text(object) : NULL;

    json_decref(object);
    if (!text)
        work->no_memory = true;
    else if (!work->broken)
        work->broken = !work->write(work->context, text);
    free(text);
}

static void write_errors(struct work *work)
{
    const struct query *query = work->query;
    json_t *object = shot_errors_json(&query->id, &query->errors);

    if (object && query->line > 0 &&
        json_object_set_new(object, "line", json_integer(query->line)) != 0) {
        json_decref(object);
        object = NULL;
    }
    write_object(work, object);
}

static const char *stopped_by(const struct work *work, const struct player_answer *answer)
{
    if (!answer->cancelled)
        return answer->is_full ? "full" : NULL;
    return atomic_load(work->cancel) ? "cancel" : "timeout";
}

static void write_answer(struct work *work, const struct player_answer *said, bool is_final)
{
    write_object(work, query_answer_json(work->query, said, is_final, stopped_by(work, said),
                                         work->waited_s));
}

static void report(void *context, const struct player_answer *so_far)
{
    struct work *work = context;

    write_answer(work, so_far, false);
    if (work->broken || work->no_memory) /* no reader for further answers */
        atomic_store(work->cancel, true);
}

/* ---- thinking ---- */

/* Limits the question by a share of the time that is left, less what has passed since it arrived.
 */
static void take_clock(const struct work *work, struct player_query *question)
{
    const struct shot_query *asked = &work->query->asked;
    const struct game *game = &asked->game;
    struct match_clock clock = match_clock_start(MATCH_CLOCK_RESERVE);
    const struct clock_turn turn = {.remaining_s = asked->remaining_s - work->waited_s,
                                    .shot = game->shot / 2,
                                    .shots = game->rules->shots / 2,
                                    .ends_after =
                                        game->end < game->ends ? game->ends - 1 - game->end : 0,
                                    .win = NAN};
    struct clock_plan plan = match_clock_plan(&clock, &turn);
    double stop_s = clock_now_s() + plan.stop_s;

    /* 0 would be no limit. */
    double think_s = plan.think_s > CLOCK_LEAST_S ? plan.think_s : CLOCK_LEAST_S;
    if (question->limits.time_s <= 0.0 || think_s < question->limits.time_s)
        question->limits.time_s = think_s;
    if (question->stop_s <= 0.0 || stop_s < question->stop_s)
        question->stop_s = stop_s;
}

/* Writes an answer to a map or calls. */
static void take_map(void *context, json_t *answer)
{
    struct work *work = context;

    write_object(work, answer);
    if (work->broken || work->no_memory)
        atomic_store(work->cancel, true);
}

/* Runs the player and writes its answer. */
static enum player_status think(const struct query_host *host, struct work *work)
{
    const struct shot_query *asked = &work->query->asked;
    double interval_s =
        asked->report_interval_s > 0.0 ? asked->report_interval_s : host->report_interval_s;
    bool is_diverse = asked->diverse && asked->candidates > 1;
    struct player_query question = {
        .game = &asked->game,
        .ice = work->ice,
        .noise = &work->query->noise,
        .seen = work->query->seen,
        .seen_count = work->query->has_seen ? work->query->seen_count : 0,
        .limits = {asked->time_s, asked->simulations, host->threads},
        .key = {.seed = (uint64_t)asked->seed,
                .shot = (uint32_t)(16 * asked->game.end + asked->game.shot)},
        .candidates = is_diverse ? (int)PLAYER_CANDIDATES_MAX : asked->candidates,
        .diverse = is_diverse,
        .cancel = work->cancel,
        .report = interval_s > 0.0 ? report : NULL,
        .context = work,
        .report_interval_s = interval_s,
    };
    struct player_answer answer;

    if (asked->has_hands)
        question.hands = work->query->hands;
    throw_warm_up(work->ice); /* first: it can take longer than a short timeout */
    if (asked->timeout_s > 0.0)
        question.stop_s = clock_now_s() + asked->timeout_s - work->waited_s;
    if (asked->has_clock)
        take_clock(work, &question);
    if (asked->asks != SHOT_ASKS_BEST)
        return query_map_answer(work->query, &question, work->waited_s, take_map, work);
    enum player_status status = player_choose(&work->query->player, &question, &answer);
    if (status == PLAYER_OK)
        write_answer(work, &answer, true);
    return status;
}

static enum query_status refuse(struct work *work, struct query *query, const char *code,
                                const char *message, enum query_status status)
{
    strict_refuse_at(&query->errors, "", code, "%s", message);
    write_errors(work);
    return status;
}

enum query_status query_answer(const struct query_host *host, struct query *query, double waited_s,
                               atomic_bool *cancel, query_write *write, void *context,
                               const char **ret_message)
{
    struct work work = {
        .query = query, .waited_s = waited_s, .cancel = cancel, .write = write, .context = context};
    enum query_status status = QUERY_ANSWERED;
    const char *message = NULL;

    if (!query->is_good) {
        write_errors(&work);
        status = QUERY_BAD;
    } else if (atomic_load(cancel)) {
        status = refuse(&work, query, "cancelled", "cancelled before it began", QUERY_STOPPED);
    } else if (query->asked.timeout_s > 0.0 && waited_s >= query->asked.timeout_s) {
        status = refuse(&work, query, "timeout", "waited longer than its timeout", QUERY_STOPPED);
    } else {
        work.ice = profile_of(query->asked.game.rules)->ice;
        enum player_status played = think(host, &work);
        if (played != PLAYER_OK) {
            if (played == PLAYER_NO_MEMORY)
                status = refuse(&work, query, "no_memory", message = "out of memory", QUERY_FAILED);
            else
                status = refuse(&work, query, "failed",
                                message = end_value_blame("the player failed"), QUERY_UNANSWERED);
        }
    }
    if (work.no_memory)
        message = "out of memory";
    else if (work.broken)
        message = NULL;
    if (work.no_memory || work.broken)
        status = QUERY_FAILED;
    if (status == QUERY_FAILED || status == QUERY_UNANSWERED)
        *ret_message = message;
    return status;
}
