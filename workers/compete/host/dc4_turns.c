/* What the teams of a match of Digital Curling 4 do, and the states that all are told. See dc4.h.
 */
#include "workers/compete/host/dc4.h"

#include "api/base/build_json.h"
#include "api/base/clock.h"
#include "api/base/utf8.h"
#include "api/curling/game_json.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- states ---- */

static enum dc4_period period_of(const struct game *game)
{
    return game->end >= game->ends ? DC4_EXTRA_ENDS : DC4_ENDS;
}

/* The clocks that run now, or ran last, are the ones that others are shown. */
static void show_clocks(struct dc4_match *match)
{
    struct game shown = match->hosted.game;

    shown.end -= shown.result.reason == GAME_WON_BY_SCORE && shown.shot == 0;
    for (int team = 0; team < 2; team++)
        match->hosted.left_s[team] = match->clock_s[period_of(&shown)][team];
}

/* The clock of the team to move. */
static double *clock_of_mover(struct dc4_match *match)
{
    const struct game *game = &match->hosted.game;

    return &match->clock_s[period_of(game)][game_next_team(game)];
}

double dc4_left_s(const struct dc4_match *match)
{
    const struct game *game = &match->hosted.game;

    return match->clock_s[period_of(game)][game_next_team(game)];
}

/* Tells everybody a state. */
static void publish(struct dc4_match *match, const struct dc4_board *board)
{
    json_t *state = dc4_state_json(match, board);
    char *event = state ? dc4_event(state, true) : NULL;

    show_clocks(match);
    if (!event) {
        json_decref(state);
        host_game_end(&match->hosted, SESSION_FAILED, "out of memory");
        return;
    }
    build_append(match->states, state);
    if (!match->is_repeated) {
        host_log_event(&match->hosted.log, "state", json_incref(state));
        host_game_show(&match->hosted);
        for (int owner = 0; owner < DC4_OWNERS; owner++)
            web_host_say(match->web, owner, event);
    }
    free(event);
    match->asked_s = clock_now_s();
}

/* Tells where the running game stands. */
static void publish_game(struct dc4_match *match)
{
    const struct game *game = &match->hosted.game;
    bool waits = match->awaits_setup;

    publish(match, &(struct dc4_board){.game = game,
                                       .total = waits ? -1 : game->shot,
                                       .next = waits ? -1 : game_next_team(game),
                                       .winner = game->result.winner});
}

/* An end of mixed doubles begins with a choice; the game has no placed stones yet. */
static void begin_end(struct dc4_match *match)
{
    match->awaits_setup = match->is_mixed;
    publish_game(match);
}

/* Notes in the log what a team did. Takes ownership. */
static void note(struct dc4_match *match, const char *event, json_t *value, int team)
{
    build_add(value, "team", json_string(game_team_name(team)));
    if (match->is_repeated)
        json_decref(value);
    else
        host_log_event(&match->hosted.log, event, value);
}

/* ---- what teams do ---- */

/* Team1 chooses first, then the team that did not score; after a blank end the other one. */
static void change_chooser(struct dc4_match *match, const struct game_turn *turn,
                           const struct game *before)
{
    int sente = 1 - before->hammer_team;

    if (turn->score == 0)
        match->chooser = 1 - match->chooser;
    else
        match->chooser = turn->score > 0 ? 1 - sente : sente;
}

void dc4_set_up(struct dc4_match *match, enum setup setup)
{
    struct game *game = &match->hosted.game;
    json_t *value = json_pack("{s:s}", "request", setup_word(setup));

    note(match, "setup", value, match->chooser);
    *game = situation_set_up(game, match->chooser, setup, match->hosted.setting->pattern);
    if (setup == SETUP_LEFT || setup == SETUP_RIGHT)
        match->power_end[match->chooser] = game->end;
    match->awaits_setup = false;
    publish_game(match);
}

/* The last board of an end, whose score is in the game already. */
static void publish_board(struct dc4_match *match, const struct game *before,
                          const struct game_turn *turn)
{
    struct game shown = match->hosted.game;

    shown.end = before->end;
    shown.hammer_team = before->hammer_team;
    shown.position = turn->board;
    publish(match, &(struct dc4_board){.game = &shown,
                                       .total = before->rules->shots,
                                       .next = -1,
                                       .winner = match->hosted.game.result.winner});
}

static void record(struct dc4_match *match, const struct game *before, const struct host_move *move,
                   const struct game_turn *turn, double elapsed_s)
{
    struct host_game *hosted = &match->hosted;

    hosted->shots++;
    if (turn->end_finished)
        host_game_note_end(hosted, before);
    host_log_record(&hosted->log, before, move, turn, elapsed_s, hosted->names);
}

void dc4_run_out(struct dc4_match *match, int mover)
{
    struct host_game *hosted = &match->hosted;
    const struct game before = hosted->game;
    double *left_s = clock_of_mover(match);
    const struct host_move move = {.late = true};
    const struct game_turn turn = {.offended = -1};
    double elapsed_s = *left_s;

    note(match, "time_out", json_object(), mover);
    *left_s = 0.0;
    hosted->game.result.reason = GAME_WON_BY_TIME;
    hosted->game.result.winner = 1 - mover;
    record(match, &before, &move, &turn, elapsed_s);
    publish(match,
            &(struct dc4_board){
                .game = &hosted->game, .total = before.shot, .next = -1, .winner = 1 - mover});
}

void dc4_throw(struct dc4_match *match, const struct shot *shot, double elapsed_s)
{
    struct host_game *hosted = &match->hosted;
    const struct game before = hosted->game;
    int mover = game_next_team(&before);
    double *left_s = clock_of_mover(match);
    struct host_move move = {.selected = *shot};
    struct game_turn turn = {.offended = -1};
    json_t *said = dc4_shot_json(shot, true);

    build_add(said, "elapsed_s", json_real(elapsed_s));
    /* The components, too: the angle loses their last bit. */
    build_add(said, "velocity", json_pack("[f, f]", shot->velocity.x, shot->velocity.y));
    note(match, "shot", said, mover);
    *left_s -= elapsed_s;
    if (!host_game_throw(hosted, &move, NULL, &turn))
        return;
    match->last = move.actual;
    match->has_last = true;
    record(match, &before, &move, &turn, elapsed_s);
    if (!turn.end_finished) {
        publish_game(match);
        return;
    }
    publish_board(match, &before, &turn);
    change_chooser(match, &turn, &before);
    if (!host_game_is_over(hosted))
        begin_end(match);
}

void dc4_begin(struct dc4_match *match)
{
    struct host_game *hosted = &match->hosted;
    const struct host_setting *setting = hosted->setting;

    if (!match->is_repeated)
        host_log_event(&hosted->log, "begin", json_object());
    host_game_name(hosted);
    game_start(&setting->profile->rules, setting->ends, setting->extra_ends, 1, &hosted->game);
    match->is_begun = true;
    begin_end(match);
}

void dc4_take_seat(struct dc4_match *match, int team, const char *user, json_t *config,
                   const char *name)
{
    struct dc4_seat *seat = &match->seats[team];

    note(match, "team", json_pack("{s:s, s:O}", "user", user, "config", config), team);
    seat->is_taken = true;
    seat->has_password = false;
    seat->seen_s = clock_now_s();
    snprintf(seat->user, sizeof seat->user, "%s", user);
    json_decref(seat->config);
    seat->config = json_incref(config);
    utf8_copy(match->hosted.teams[team], HOST_NAME_MAX,
              match->hosted.setting->player[team]    ? match->hosted.setting->player[team]
              : match->hosted.setting->program[team] ? match->hosted.setting->program[team]->name
                                                     : name);
    if (!match->is_repeated)
        host_game_show(&match->hosted);
}
