/* Digital Curling 4: requests of HTTP, and states by server-sent events.
 *
 *   GET /matches/ID -> POST /store-team-config -> GET /matches/ID/latest-state ->
 * GET /matches/ID/stream, then for each state of ours POST /shots; in mixed doubles
 * POST /matches/ID/end-setup where the choice is ours
 *
 * States are repeated after a reconnection, and each is answered once. A shot that may not have
 * arrived is sent again only after the server has said that it is still our turn. The state that
 * the server calls the latest need not be: where the other team has thrown before our stream began,
 * its first two states of an end come in the wrong order. A state that is asked for names the teams
 * by their ids, one of the stream as team0 and team1. */
#include "workers/compete/talk.h"

#include "api/base/utf8.h"
#include "models/game/free_guard_zone.h"
#include "models/tables/profiles.h"
#include "workers/search/player/player.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ASKS_MAX = 20,     /* questions for the state after a shot without a good answer */
    ASKS_IN_VAIN = 4,  /* of them, where the server knows no such question: then it is sent again */
    RULES_NUMBERS = 3, /* values of applied_rule */
    ID_BYTES = 40,     /* an id of a team, a UUID */
    CLOCKED_EXTRA = 2  /* extra ends for which the time of extra ends is planned */
};
/* Between such questions: the server admits 30 requests a minute. */
#define ASK_S 3.0
/* States have the digits of float32. */
#define SAME_PLACE_M 1e-4

struct place {
    int end, total; /* total -1: the choice of a setup */
};

struct dc4 {
    const struct profile *profile;
    int ends, pattern;
    bool is_mixed;
    char ids[2][ID_BYTES];    /* of the teams; "": not told */
    bool is_joining;          /* the state is asked for before the stream */
    struct place answered;    /* the newest state that has an answer */
    struct decision decision; /* that answer */
    bool is_setup;            /* it chooses a setup */
    bool used_power;          /* we have asked for the power play */
    int asks;                 /* questions for the state since a good answer */
    bool is_open;             /* it is not known whether our answer has counted */
    struct place asked;       /* the newest state with an answer when the state was asked for */
    json_t *newest;           /* of the states told as older ones since the latest; NULL: none */
};

/* ---- before the game ---- */

static json_t *player_json(const struct talk *talk, int number)
{
    char name[TALK_NAME_MAX];

    snprintf(name, sizeof name, "%.*s %d", utf8_fit(talk->setting->name, sizeof name - 16),
             talk->setting->name, number);
    return json_pack("{s:f, s:f, s:f, s:s}", "max_velocity", 4.0, "shot_std_dev", 0.0076,
                     "angle_std_dev", 0.0018, "player_name", name);
}

/* The team with the server's ordinary hands. */
static json_t *team_json(const struct talk *talk)
{
    const struct dc4 *own = talk->own;
    bool mixed = own->is_mixed;

    return json_pack("{s:b, s:s, s:s, s:o, s:o, s:o, s:o}", "use_default_config", 1, "team_name",
                     talk->setting->name, "match_team_name",
                     talk->setting->team == 0 ? "team0" : "team1", "player1", player_json(talk, 1),
                     "player2", player_json(talk, 2), "player3",
                     mixed ? json_null() : player_json(talk, 3), "player4",
                     mixed ? json_null() : player_json(talk, 4));
}

/* Refuses what we cannot play, by name. */
static const struct profile *profile_of_match(struct talk *talk, const json_t *match, bool is_mixed)
{
    static const char *const by_rule[RULES_NUMBERS] = {"dc4", "dc4-no-tick", "dc4-modified"};
    const json_t *rule = json_object_get(match, "applied_rule");
    const char *simulator =
        json_string_value(json_object_get(json_object_get(match, "simulator"), "simulator_name"));
    int number = json_is_integer(rule) ? (int)json_integer_value(rule) : -1;

    for (int k = 0; json_is_string(rule) && k < RULES_NUMBERS; k++) {
        static const char *const words[] = {"fgz_rule", "no_tick_rule", "modified_fgz_rule"};
        if (strcmp(json_string_value(rule), words[k]) == 0)
            number = k;
    }
    if (simulator && strcmp(simulator, "fcv1") != 0)
        talk_because(talk, TALK_REFUSE, "cannot play with simulator %.*s", utf8_fit(simulator, 60),
                     simulator);
    else if (number < 0 || number >= RULES_NUMBERS)
        talk_because(talk, TALK_REFUSE, "cannot play with applied_rule %d", number);
    else if ((number == RULES_NUMBERS - 1) != is_mixed)
        talk_because(talk, TALK_REFUSE, "cannot play %s with applied_rule %d",
                     is_mixed ? "mixed doubles" : "the four-person game", number);
    else
        return profile_find(by_rule[number]);
    return NULL;
}

/* Asks again where the server did not answer or is busy, a limited number of times. False: it has
 * answered. */
static bool must_wait(struct talk *talk, const struct heard *heard, enum talk_next *ret_next)
{
    struct dc4 *own = talk->own;
    bool is_out = heard->status == 0 || heard->status == 429 || heard->status >= 500;

    if (!is_out) {
        own->asks = 0;
        return false;
    }
    *ret_next = TALK_LISTEN;
    if (++own->asks > ASKS_MAX)
        *ret_next = talk_because(talk, TALK_BROKEN, "no answer in %d tries, at last status %d",
                                 ASKS_MAX, heard->status);
    return true;
}

static void ask_match(struct talk *talk, double delay_s)
{
    talk_request(talk, "match", delay_s, NULL, "GET /matches/%s", talk->setting->match);
}

static void ask_team(struct talk *talk, double delay_s)
{
    talk_request(talk, "team", delay_s, team_json(talk),
                 "POST /store-team-config?match_id=%s&expected_match_team_name=team%d",
                 talk->setting->match, talk->setting->team);
}

static void begin(struct talk *talk)
{
    struct dc4 *own = talk->own;

    own->answered = (struct place){-1, -1};
    ask_match(talk, 0.0);
}

/* Ends a conversation whose request was refused, with what the server says. */
static enum talk_next refuse(struct talk *talk, const struct heard *heard, const char *what)
{
    return talk_because(talk, TALK_REFUSE, "%s: status %d, %.*s", what, heard->status,
                        (int)(heard->length < 160 ? heard->length : 160),
                        heard->text ? heard->text : "");
}

static enum talk_next hear_match(struct talk *talk, const struct heard *heard)
{
    struct dc4 *own = talk->own;
    enum talk_next next;

    if (must_wait(talk, heard, &next)) {
        if (next == TALK_LISTEN)
            ask_match(talk, ASK_S);
        return next;
    }
    if (heard->status != 200)
        return refuse(talk, heard, "the match cannot be read");
    json_t *match = talk_parse(talk, heard);
    const char *mode = json_string_value(json_object_get(match, "game_mode"));
    const json_t *settings = json_object_get(match, "mixed_doubles_settings");
    json_int_t ends = json_integer_value(json_object_get(match, "standard_end_count"));

    if (!match)
        return TALK_BROKEN;
    own->is_mixed =
        mode && (strcmp(mode, "mixed_doubles") == 0 || strcmp(mode, "mix_doubles") == 0);
    own->profile = profile_of_match(talk, match, own->is_mixed);
    own->ends = (int)ends;
    json_int_t pattern = json_integer_value(json_object_get(settings, "positioned_stones_pattern"));
    own->pattern = pattern >= 0 && pattern < SETUP_PATTERNS ? (int)pattern : 0;
    for (int team = 0; team < 2; team++) {
        const char *member = team == 0 ? "first_team_id" : "second_team_id";
        const char *id = json_string_value(json_object_get(match, member));
        snprintf(own->ids[team], ID_BYTES, "%s", id ? id : "");
    }
    json_decref(match);
    if (!own->profile)
        return TALK_REFUSE;
    if (ends < 1 || ends > RULES_ENDS_MAX)
        return talk_because(talk, TALK_REFUSE, "cannot play %lld ends", (long long)ends);
    ask_team(talk, 0.0);
    return TALK_LISTEN;
}

static void ask_latest(struct talk *talk, double delay_s)
{
    struct dc4 *own = talk->own;

    own->asked = own->answered;
    talk_request(talk, "latest", delay_s, NULL, "GET /matches/%s/latest-state",
                 talk->setting->match);
}

static enum talk_next hear_team(struct talk *talk, const struct heard *heard)
{
    struct dc4 *own = talk->own;
    /* The body is "team0" or "team1" with its quotation marks. */
    bool is_team0 = heard->text && memmem(heard->text, heard->length, "team0", 5);
    bool is_team1 = heard->text && memmem(heard->text, heard->length, "team1", 5);
    enum talk_next next;

    if (must_wait(talk, heard, &next)) {
        if (next == TALK_LISTEN)
            ask_team(talk, ASK_S);
        return next;
    }
    if (heard->status != 200)
        return refuse(talk, heard, "the server does not admit us");
    if (is_team0 == is_team1)
        return talk_because(talk, TALK_BROKEN, "the server does not say which team we are");
    talk->team = is_team1;
    if (talk->team != talk->setting->team)
        talk_note(talk, "the server made us team%d", talk->team);
    /* The stream of a match that is over says nothing, as the other team is gone. */
    own->is_joining = true;
    ask_latest(talk, 0.0);
    return TALK_LISTEN;
}

/* ---- states ---- */

static json_t *settings_of(const json_t *state)
{
    json_t *settings = json_object_get(state, "mixed_doubles_settings");
    return settings && !json_is_null(settings) ? settings
                                               : json_object_get(state, "mix_doubles_settings");
}

static int team_of(const json_t *name)
{
    const char *text = json_string_value(name);

    return !text ? -1 : strcmp(text, "team0") == 0 ? 0 : strcmp(text, "team1") == 0 ? 1 : -1;
}

/* The list of a team below a member that may be wrapped: {"data":{…}} or {…} itself. */
static const json_t *list_of(const json_t *state, const char *member, int team)
{
    const json_t *object = json_object_get(state, member);
    const json_t *data = json_object_get(object, "data");

    return json_object_get(data ? data : object, team == 0 ? "team0" : "team1");
}

/* Reads stones and scores; false with `why`. Stones not in play are at (0, 0). */
static bool read_lists(struct talk *talk, const json_t *state, struct game *game)
{
    const struct dc4 *own = talk->own;
    const json_t *entry;
    size_t k;

    for (int team = 0; team < 2; team++) {
        const json_t *stones = list_of(state, "stone_coordinate", team);
        const json_t *scores = list_of(state, "score", team);
        if (!json_is_array(stones) || json_array_size(stones) > POSITION_STONES / 2 ||
            !json_is_array(scores)) {
            talk_because(talk, TALK_BROKEN, "state: stones or scores of team%d are not a list",
                         team);
            return false;
        }
        json_array_foreach(stones, k, entry)
        {
            const json_t *x = json_object_get(entry, "x"), *y = json_object_get(entry, "y");
            struct vec2 at = {json_number_value(x), json_number_value(y)};
            if (json_is_null(entry))
                continue;
            if (!json_is_number(x) || !json_is_number(y)) {
                talk_because(talk, TALK_BROKEN, "state: stone %zu of team%d has no place", k, team);
                return false;
            }
            if (at.x != 0.0 || at.y != 0.0)
                position_put(&game->position,
                             stone_of_slot(team, (int)k, game_team0_has_hammer(game)), at);
        }
        json_array_foreach(scores, k, entry)
        {
            if (k < (size_t)game->end && k < (size_t)own->ends)
                game->scores[team][k] = (int8_t)json_integer_value(entry);
        }
    }
    return true;
}

static void read_clock(const struct talk *talk, const json_t *state, struct situation *situation)
{
    const struct dc4 *own = talk->own;
    bool extra = situation->game.end >= own->ends;
    const char *member = talk->team == 0 ? extra ? "first_team_extra_end_remaining_time"
                                                 : "first_team_remaining_time"
                         : extra         ? "second_team_extra_end_remaining_time"
                                         : "second_team_remaining_time";
    const json_t *clock = json_object_get(state, member);

    situation->has_clock = json_is_number(clock);
    situation->remaining_s = json_number_value(clock);
    situation->clock_period = extra;
    /* The time of extra ends is one budget for all of them. */
    situation->clock_ends = extra ? CLOCKED_EXTRA - 1 : own->ends - 1 - situation->game.end;
}

/* Who has taken the power play, as far as the server tells it. */
static void read_power_plays(const struct talk *talk, const json_t *state, struct game *game)
{
    const struct dc4 *own = talk->own;
    const json_t *ends = json_object_get(settings_of(state), "power_play_end");

    for (int team = 0; team < 2; team++) {
        const json_t *used = json_object_get(ends, team == 0 ? "team0" : "team1");
        game->power_used[team] = used && !json_is_null(used);
    }
    game->power_used[talk->team] = game->power_used[talk->team] || own->used_power;
}

static bool read_situation(struct talk *talk, const json_t *state, struct place at, int mover)
{
    struct dc4 *own = talk->own;
    struct situation *situation = &talk->situation;
    char note[TALK_WHY_MAX];
    struct game game = {.rules = &own->profile->rules,
                        .ends = own->ends,
                        .extra_ends = RULES_ENDS_MAX,
                        .end = at.end,
                        .shot = at.total < 0 ? 0 : at.total,
                        .result = {GAME_RUNNING, -1}};

    /* Who chooses a setup has the hammer until then. */
    game.hammer_team = at.total >= 0 && game.shot % 2 == 0 ? 1 - mover : mover;
    read_power_plays(talk, state, &game);
    if (!read_lists(talk, state, &game))
        return false;
    if (at.total < 0)
        game.position = (struct position){.in_play = 0};
    else if (!situation_settle(&game, sizeof note, note)) {
        talk_because(talk, TALK_BROKEN, "state: %s", note);
        return false;
    } else if (note[0]) {
        talk_note(talk, "stones taken off: %s", note);
    }
    *situation = (struct situation){.game = game,
                                    .ice = own->profile->ice,
                                    .team = talk->team,
                                    .asks_setup = at.total < 0,
                                    .pattern = own->pattern};
    for (int shot = 0; shot < POSITION_STONES; shot++)
        situation->hands[shot] = noise_default(situation->ice, situation->ice->noise);
    read_clock(talk, state, situation);
    return true;
}

/* Who chooses the setup of this end: as the server says, else by its rule: team1, then the team
 * that did not score; after a blank end the other one. */
static int setup_team_of(const json_t *state, int end)
{
    int said = team_of(json_object_get(settings_of(state), "end_setup_team"));
    int chooser = 1;

    if (said >= 0)
        return said;
    for (int k = 0; k < end; k++) {
        int points[2];
        for (int team = 0; team < 2; team++)
            points[team] =
                (int)json_integer_value(json_array_get(list_of(state, "score", team), (size_t)k));
        chooser = points[0] > 0 ? 1 : points[1] > 0 ? 0 : 1 - chooser;
    }
    return chooser;
}

static enum talk_next end_match(struct talk *talk, const json_t *state, int winner)
{
    struct outcome *outcome = &talk->outcome;
    const json_t *entry;
    size_t k;

    *outcome = (struct outcome){.is_known = true, .winner = winner, .games = 1};
    for (int team = 0; team < 2; team++)
        json_array_foreach(list_of(state, "score", team), k, entry) outcome->points[team] +=
            (int)json_integer_value(entry);
    for (int team = 0; team < 2; team++) {
        const char *first = team == 0 ? "first_team_remaining_time" : "second_team_remaining_time";
        const char *extra = team == 0 ? "first_team_extra_end_remaining_time"
                                      : "second_team_extra_end_remaining_time";
        /* The server does not say why: a team without time has lost by it. */
        const json_t *left = json_object_get(state, first), *more = json_object_get(state, extra);
        bool out = (json_is_number(left) && json_number_value(left) <= 0.0) ||
                   (json_is_number(more) && json_number_value(more) <= 0.0);
        if (out && winner == 1 - team)
            snprintf(outcome->reason, sizeof outcome->reason, "time_limit");
    }
    outcome->won = winner == talk->team;
    outcome->lost = winner == 1 - talk->team;
    return TALK_OVER;
}

static void say_again(struct talk *talk);

/* Whether the shot that led to this position was a foul, which states do not tell: each stone lies
 * where it lay, and thrown on our ice the shot moves a protected one. */
static bool was_foul(const struct talk *talk, const struct position *after)
{
    const struct dc4 *own = talk->own;
    const struct game *before = &talk->seen.game;
    const struct position *was = &before->position;
    struct throw_result result;

    if (before->shot >= before->rules->protected_shots || after->in_play != was->in_play)
        return false;
    for (int k = 0; k < POSITION_STONES; k++)
        if (position_has(was, k) && vec2_distance(after->stone[k], was->stone[k]) > SAME_PLACE_M)
            return false;
    const struct throw_request request = player_throw(before, own->profile->ice, talk->seen.thrown);
    return throw_fast(&request, &result) == THROW_OK &&
           free_guard_zone_offended(before->rules, was, &result.after, before->shot) >= 0;
}

/* Tells those who keep the games: the shot before this state, and the game or the last board. */
static void see_state(struct talk *talk, const json_t *state, struct place at, int mover)
{
    const struct dc4 *own = talk->own;
    const json_t *last = json_object_get(state, "last_move");
    double speed = json_number_value(json_object_get(last, "translational_velocity"));
    double angle = json_number_value(json_object_get(last, "shot_angle"));
    struct seen *seen = &talk->seen;
    const int shots = own->profile->rules.shots;
    struct situation kept = talk->situation;

    seen->has_thrown = json_is_number(json_object_get(last, "shot_angle"));
    /* The server tells the turn as its simulator takes it: counter-clockwise is positive. */
    seen->thrown = (struct shot){{speed * cos(angle), speed * sin(angle)},
                                 json_number_value(json_object_get(last, "angular_velocity"))};
    seen->foul = false;
    seen->has_final = at.total == shots && seen->has_game;
    if (seen->has_final) {
        struct game board = {.end = at.end, .hammer_team = seen->game.hammer_team};
        seen->has_final = read_lists(talk, state, &board);
        seen->final = board.position;
        talk_see(talk, NULL);
    } else if (at.total >= 0 && at.total < shots && mover >= 0 &&
               read_situation(talk, state, at, mover)) {
        const struct game *now = &talk->situation.game;
        seen->foul = seen->has_game && seen->has_thrown && now->end == seen->game.end &&
                     now->shot == seen->game.shot + 1 && was_foul(talk, &now->position);
        talk_see(talk, now);
        talk->situation = kept;
    }
}

/* The names of the teams, which a state tells again and again. */
static void read_names(struct talk *talk, const json_t *state)
{
    static const char *const members[] = {"first_team_name", "second_team_name"};

    for (int team = 0; team < 2; team++) {
        const char *name = json_string_value(json_object_get(state, members[team]));
        if (name && *name)
            talk_name(talk, team, name);
    }
}

static enum talk_next hear_state(struct talk *talk, const json_t *state, bool is_asked)
{
    struct dc4 *own = talk->own;
    const json_t *end = json_object_get(state, "end_number");
    const json_t *total = json_object_get(state, "total_shot_number");
    int winner = team_of(json_object_get(state, "winner_team"));
    int mover = team_of(json_object_get(state, "next_shot_team"));
    const int shots = own->profile->rules.shots;

    if (!json_is_integer(end) || json_integer_value(end) < 0 ||
        json_integer_value(end) > RULES_ENDS_MAX ||
        (total && !json_is_null(total) &&
         (!json_is_integer(total) || json_integer_value(total) < 0 ||
          json_integer_value(total) > shots)))
        return talk_because(talk, TALK_BROKEN, "state: end_number or total_shot_number is wrong");
    read_names(talk, state);
    struct place at = {(int)json_integer_value(end),
                       json_is_integer(total) ? (int)json_integer_value(total) : -1};
    /* In mixed doubles the last board of an end has no number, like the state that asks for the
     * setup, but comes after shots of its end. */
    if (at.total < 0 && talk->seen.states > 0 && talk->seen.game.end >= at.end)
        at.total = shots;
    if (at.end > own->answered.end ||
        (at.end == own->answered.end && at.total > own->answered.total)) {
        own->is_open = false; /* it has counted */
        own->asks = 0;
    }
    see_state(talk, state, at, mover);
    if (winner >= 0)
        return end_match(talk, state, winner);
    bool is_setup = own->is_mixed && at.total < 0 && mover < 0;
    if (is_setup)
        mover = setup_team_of(state, at.end);
    if (mover != talk->team || at.total >= shots || (!is_setup && at.total < 0))
        return TALK_LISTEN; /* the other team's turn, or the board of a finished end */
    if (at.end == own->answered.end && at.total == own->answered.total) {
        if (is_asked)
            say_again(talk);
        return TALK_LISTEN;
    }
    if (!read_situation(talk, state, at, mover))
        return TALK_BROKEN;
    own->answered = at;
    own->asks = 0;
    return TALK_THINK;
}

/* Where a state is in its match. A setup that is asked for comes before the shots of its end, the
 * last board without a number after them. */
static struct place place_of(const json_t *state)
{
    const json_t *end = json_object_get(state, "end_number");
    const json_t *total = json_object_get(state, "total_shot_number");
    int unnumbered = json_is_object(json_object_get(state, "last_move")) ? INT_MAX : -1;

    return (struct place){json_is_integer(end) ? (int)json_integer_value(end) : -1,
                          json_is_integer(total) ? (int)json_integer_value(total) : unnumbered};
}

static bool is_newer(const json_t *state, const json_t *other)
{
    struct place a = place_of(state), b = place_of(other);

    return a.end > b.end || (a.end == b.end && a.total > b.total);
}

/* An older state of this end, says the server. Nonsense is left to the latest one to tell. */
static enum talk_next hear_older(struct talk *talk, const struct heard *heard)
{
    struct dc4 *own = talk->own;
    json_t *state = talk_parse(talk, heard);

    own->is_joining = false;
    talk->why[0] = '\0';
    if (state && (!own->newest || is_newer(state, own->newest))) {
        json_decref(own->newest);
        own->newest = json_incref(state);
    }
    json_decref(state);
    return TALK_LISTEN;
}

static enum talk_next hear_newest(struct talk *talk, const struct heard *heard)
{
    struct dc4 *own = talk->own;
    json_t *latest = talk_parse(talk, heard), *older = own->newest;
    enum talk_next next = TALK_BROKEN;

    own->is_joining = false;
    own->newest = NULL;
    if (latest && older && is_newer(older, latest)) {
        talk_note(talk, "the latest state is older than another one");
        next = hear_state(talk, older, false);
    } else if (latest) {
        next = hear_state(talk, latest, false);
    }
    json_decref(latest);
    json_decref(older);
    return next;
}

static void end(struct talk *talk)
{
    struct dc4 *own = talk->own;

    json_decref(own->newest);
}

/* ---- answers ---- */

static void say_decision(struct talk *talk, const struct decision *decision, bool is_setup)
{
    const char *match = talk->setting->match;
    const struct vec2 velocity = decision->shot.velocity;

    if (is_setup) {
        talk_request(talk, "setup", 0.0, NULL, "POST /matches/%s/end-setup?request=%s", match,
                     setup_word(decision->setup));
        return;
    }
    json_t *shot = json_pack("{s:f, s:f, s:f}", "translational_velocity", vec2_length(velocity),
                             "angular_velocity", 0.0 - decision->shot.omega, "shot_angle",
                             atan2(velocity.y, velocity.x));
    talk_request(talk, "shot", 0.0, shot, "POST /shots?match_id=%s", match);
}

static void say_again(struct talk *talk)
{
    struct dc4 *own = talk->own;

    own->is_open = true;
    say_decision(talk, &own->decision, own->is_setup);
}

static void answer(struct talk *talk, const struct decision *decision)
{
    struct dc4 *own = talk->own;

    own->decision = *decision;
    own->is_setup = talk->situation.asks_setup;
    if (own->is_setup && setup_is_power(decision->setup))
        own->used_power = true;
    say_again(talk);
}

/* The answer to a shot or a setup. What is not plainly good or bad is settled by the state. */
static enum talk_next hear_verdict(struct talk *talk, const struct heard *heard)
{
    struct dc4 *own = talk->own;

    if (heard->status == 200) {
        own->asks = 0;
        own->is_open = false;
        return TALK_LISTEN;
    }
    if (heard->status == 401 || heard->status == 403)
        return talk_because(talk, TALK_REFUSE, "the server does not take our %s: status %d",
                            heard->tag, heard->status);
    if (++own->asks > ASKS_MAX)
        return talk_because(talk, TALK_BROKEN, "no good answer to a %s in %d tries, at last %d",
                            heard->tag, ASKS_MAX, heard->status);
    talk_note(talk, "the %s was answered by %d; the state is asked for", heard->tag, heard->status);
    ask_latest(talk, ASK_S);
    return TALK_LISTEN;
}

/* Names the teams of a state that has their ids. Ours is told with the match and stays, as we come
 * with the server's ordinary hands; the other team's may be another one since. */
static void name_teams(const struct talk *talk, json_t *state)
{
    static const char *const members[][2] = {{"winner_team", "winner_team_id"},
                                             {"next_shot_team", "next_shot_team_id"}};
    const struct dc4 *own = talk->own;
    const char *ours = own->ids[talk->team];

    for (size_t k = 0; ours[0] && k < sizeof members / sizeof members[0]; k++) {
        const char *id = json_string_value(json_object_get(state, members[k][1]));
        bool is_us = id && strcmp(id, ours) == 0;
        if (id && !json_object_get(state, members[k][0]))
            json_object_set_new(
                state, members[k][0],
                json_string((is_us ? talk->team : 1 - talk->team) ? "team1" : "team0"));
    }
}

/* The state before the stream is opened: of it only matters whether the match is over. */
static enum talk_next join(struct talk *talk, const struct heard *heard)
{
    struct dc4 *own = talk->own;
    json_t *state = heard->status == 200 ? talk_parse(talk, heard) : NULL;
    enum talk_next next = TALK_LISTEN;

    own->is_joining = false;
    talk->why[0] = '\0'; /* whatever it is, the stream will tell */
    name_teams(talk, state);
    int winner = team_of(json_object_get(state, "winner_team"));
    if (winner >= 0)
        next = end_match(talk, state, winner);
    else
        talk_request(talk, "state", 0.0, NULL, "GET /matches/%s/stream", talk->setting->match);
    json_decref(state);
    return next;
}

static enum talk_next hear_latest(struct talk *talk, const struct heard *heard)
{
    struct dc4 *own = talk->own;

    if (own->is_joining)
        return join(talk, heard);
    /* The stream may have told it meanwhile; then our answer is to an older state than the newest,
     * which is being thought about. */
    if (!own->is_open || own->asked.end != own->answered.end ||
        own->asked.total != own->answered.total)
        return TALK_LISTEN;
    if (heard->status == 200) {
        json_t *state = talk_parse(talk, heard);
        name_teams(talk, state);
        enum talk_next next = state ? hear_state(talk, state, true) : TALK_BROKEN;
        json_decref(state);
        return next;
    }
    if (++own->asks > ASKS_MAX)
        return talk_because(talk, TALK_BROKEN, "the state cannot be read in %d tries, at last %d",
                            ASKS_MAX, heard->status);
    if (heard->status == 404 && own->asks % ASKS_IN_VAIN == 0) {
        say_again(talk); /* out of turn it is refused */
        return TALK_LISTEN;
    }
    ask_latest(talk, ASK_S);
    return TALK_LISTEN;
}

static enum talk_next hear(struct talk *talk, const struct heard *heard)
{
    const struct dc4 *own = talk->own;
    const char *tag = heard->tag ? heard->tag : "";

    if (strcmp(tag, "match") == 0)
        return hear_match(talk, heard);
    if (strcmp(tag, "team") == 0 && own->profile)
        return hear_team(talk, heard);
    if (strcmp(tag, "shot") == 0 || strcmp(tag, "setup") == 0)
        return hear_verdict(talk, heard);
    if (strcmp(tag, "latest") == 0 && own->profile)
        return hear_latest(talk, heard);
    if (strcmp(tag, "latest_state_update") == 0 && own->profile)
        return hear_newest(talk, heard);
    if (strcmp(tag, "state_update") == 0 && own->profile)
        return hear_older(talk, heard);
    if (strcmp(tag, "stream") == 0)
        return talk_because(talk, TALK_REFUSE, "the server gives us no stream: status %d",
                            heard->status);
    return TALK_LISTEN;
}

const struct protocol protocol_dc4 = {.name = "dc4",
                                      .profile = "dc4",
                                      .own_size = sizeof(struct dc4),
                                      .begin = begin,
                                      .hear = hear,
                                      .answer = answer,
                                      .end = end};
