/* A match of Digital Curling 4 from its first request to its result. See dc4.h.
 *
 * Requests change the match at once; between them the loop looks at the clocks. All that happened
 * is in game.dc4.jsonl, from which a match whose process was killed is thrown again, shot by shot
 * with the same luck; then it goes on, and clients that reconnect are told the state. */
#include "workers/compete/host/dc4.h"

#include "api/base/build_json.h"
#include "api/base/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TICK_MS = 200, PORT_TRIES = 100 };
#define PING   ": ping\n\n"
#define PING_S 15.0
/* After the match, for clients to read the last state. */
#define FAREWELL_S      10.0
#define FAREWELL_PING_S 0.2

/* ---- a match that was broken off ---- */

static bool repeat_line(struct dc4_match *match, const json_t *line)
{
    const char *event = json_string_value(json_object_get(line, "event"));
    json_t *value = json_object_get(line, event ? event : "");
    const char *team_name = json_string_value(json_object_get(value, "team"));
    int team = team_name && strcmp(team_name, "team1") == 0;
    struct host_game *hosted = &match->hosted;

    if (!event || (!match->is_begun && (strcmp(event, "setup") == 0 || strcmp(event, "shot") == 0)))
        return false;
    if (strcmp(event, "match") == 0) {
        const char *id = json_string_value(json_object_get(value, "match_id"));
        const char *when = json_string_value(json_object_get(value, "created_at"));
        snprintf(hosted->log.id, sizeof hosted->log.id, "%s", id ? id : "");
        snprintf(hosted->log.when, sizeof hosted->log.when, "%s", when ? when : "");
        hosted->ports[0] = (int)json_integer_value(json_object_get(value, "port"));
        /* The seed may have been drawn. */
        match->setting.seed = (uint64_t)json_integer_value(json_object_get(value, "seed"));
        return id && id[0];
    }
    if (strcmp(event, "team") == 0) {
        json_t *config = json_object_get(value, "config");
        const char *user = json_string_value(json_object_get(value, "user"));
        char name[HOST_NAME_MAX], why[HOST_WHY_MAX];
        if (!user || !config || !dc4_read_team(config, name, why))
            return false;
        dc4_take_seat(match, team, user, config, name);
    } else if (strcmp(event, "begin") == 0) {
        dc4_begin(match);
    } else if (strcmp(event, "setup") == 0) {
        const char *word = json_string_value(json_object_get(value, "request"));
        for (int setup = 0; setup < SETUP_COUNT; setup++)
            if (word && strcmp(word, setup_word((enum setup)setup)) == 0)
                dc4_set_up(match, (enum setup)setup);
    } else if (strcmp(event, "shot") == 0) {
        const json_t *velocity = json_object_get(value, "velocity");
        const struct shot shot = {
            {json_number_value(json_array_get(velocity, 0)),
             json_number_value(json_array_get(velocity, 1))},
            0.0 - json_number_value(json_object_get(value, "angular_velocity"))};
        dc4_throw(match, &shot, json_number_value(json_object_get(value, "elapsed_s")));
    } else if (strcmp(event, "time_out") == 0) {
        dc4_run_out(match, team);
    }
    return true;
}

/* Opens the log: a new one, or that of a match which is thrown again to where it was. */
static bool open_log(struct dc4_match *match)
{
    struct host_game *hosted = &match->hosted;
    const struct host_setting *setting = hosted->setting;
    json_t *lines, *line;
    size_t k;

    if (host_log_open(&hosted->log, setting))
        return true;
    if (errno != EEXIST || !host_log_reopen(&hosted->log, setting->folder, &lines))
        return host_game_end(hosted, SESSION_FAILED, "%.200s: %s", setting->folder,
                             strerror(errno));
    match->is_repeated = true;
    bool good = json_array_size(lines) > 0;
    json_array_foreach(lines, k, line) good = good && repeat_line(match, line);
    match->is_repeated = false;
    json_decref(lines);
    return (good && !hosted->why[0]) ||
           host_game_end(hosted, SESSION_FAILED, "%.200s: the log of the match cannot be repeated",
                         setting->folder);
}

/* ---- the course ---- */

static bool open_match(struct dc4_match *match, bool *ret_goes_on)
{
    struct host_game *hosted = &match->hosted;
    const struct host_setting *setting = hosted->setting;
    char why[HOST_WHY_MAX];

    for (int period = 0; period < DC4_PERIODS; period++)
        for (int team = 0; team < 2; team++)
            match->clock_s[period][team] =
                period == DC4_ENDS ? setting->time_s : setting->extra_end_time_s;
    if (!open_log(match))
        return false;
    *ret_goes_on = hosted->ports[0] > 0;
    int port = *ret_goes_on ? hosted->ports[0] : setting->port[0];
    match->web = web_host_open(setting->listen, port, dc4_answer, match, why);
    /* The process that was killed may still be about to close it. */
    for (int k = 0; *ret_goes_on && !match->web && k < PORT_TRIES; k++) {
        poll(NULL, 0, TICK_MS);
        match->web = web_host_open(setting->listen, port, dc4_answer, match, why);
    }
    if (!match->web)
        return host_game_end(hosted, SESSION_FAILED, "%s", why);
    hosted->ports[0] = web_host_port(match->web);
    if (!*ret_goes_on) {
        json_t *json = dc4_match_json(match);
        build_add(json, "port", json_integer(hosted->ports[0]));
        build_add(json, "seed", json_integer((json_int_t)setting->seed));
        host_log_event(&hosted->log, "match", json);
    }
    host_game_show(hosted);
    return true;
}

/* Looks at the clocks. */
static void look(struct dc4_match *match, double start_s)
{
    struct host_game *hosted = &match->hosted;
    const struct host_setting *setting = hosted->setting;
    double now_s = clock_now_s();

    if (atomic_load(setting->cancel)) {
        host_game_end(hosted, SESSION_STOPPED, "stopped %s",
                      match->is_begun ? "during the match" : "before the match began");
    } else if (!match->is_begun) {
        bool is_here[2];
        for (int team = 0; team < 2; team++)
            is_here[team] = match->seats[team].is_taken && web_host_streams(match->web, team) > 0;
        for (int team = 0; team < 2; team++)
            match->seats[team].seen_s = is_here[team] ? now_s : match->seats[team].seen_s;
        for (int team = 0; team < 2; team++)
            if (!is_here[team] && now_s >= start_s + host_wait_s(setting, team))
                host_game_blame(hosted, team, SESSION_SILENT, "team%d was not ready within %d s",
                                team, host_wait_s(setting, team));
        if (is_here[0] && is_here[1])
            dc4_begin(match);
    } else if (match->awaits_setup) {
        if (now_s - match->asked_s >= setting->wait_s) {
            fprintf(stderr, "team%d chose no setup within %d s; it gets %s\n", match->chooser,
                    setting->wait_s, setup_word(SETUP_HOUSE));
            dc4_set_up(match, SETUP_HOUSE);
        }
    } else {
        int mover = game_next_team(&hosted->game);
        if (mover >= 0 && now_s - match->asked_s >= dc4_left_s(match))
            dc4_run_out(match, mover);
    }
}

/* When look() may have something to do. */
static int wait_ms(const struct dc4_match *match)
{
    const struct game *game = &match->hosted.game;
    int mover = match->is_begun && !match->awaits_setup ? game_next_team(game) : -1;

    if (mover < 0)
        return TICK_MS;
    double left_s = match->asked_s + dc4_left_s(match) - clock_now_s();
    return left_s * 1000.0 >= TICK_MS ? TICK_MS : left_s <= 0.0 ? 0 : (int)(left_s * 1000.0) + 1;
}

static void ping(struct dc4_match *match, double *last_s, double each_s)
{
    double now_s = clock_now_s();

    if (now_s - *last_s < each_s)
        return;
    *last_s = now_s;
    for (int owner = 0; owner < DC4_OWNERS; owner++)
        web_host_say(match->web, owner, PING);
}

static void play(struct dc4_match *match)
{
    double pinged_s = clock_now_s(), start_s = pinged_s;

    match->asked_s = pinged_s; /* after a restart the turn begins anew */
    while (!match->hosted.why[0] && !host_game_is_over(&match->hosted)) {
        web_host_step(match->web, wait_ms(match));
        dc4_look_after_players(match);
        if (!host_game_is_over(&match->hosted))
            look(match, start_s);
        ping(match, &pinged_s, PING_S);
    }
}

/* Lets the clients hear the last state, and hang up. */
static void take_leave(struct dc4_match *match)
{
    double until_s = clock_now_s() + FAREWELL_S, pinged_s = 0.0;

    for (;;) {
        bool is_left = match->seats[0].player > 0 || match->seats[1].player > 0;
        for (int team = 0; team < 2; team++)
            is_left = is_left || web_host_streams(match->web, team) > 0;
        if (!is_left || clock_now_s() >= until_s || atomic_load(match->hosted.setting->cancel))
            break;
        ping(match, &pinged_s, FAREWELL_PING_S);
        web_host_step(match->web, (int)(FAREWELL_PING_S * 1000.0));
        dc4_look_after_players(match);
    }
}

static void host(struct dc4_match *match, host_opened *opened)
{
    struct host_game *hosted = &match->hosted;
    bool goes_on = false;

    if (!open_match(match, &goes_on) || !dc4_start_players(match))
        return;
    opened(hosted);
    if (goes_on)
        fprintf(stderr, "the match goes on at end %d, shot %d\n", hosted->game.end + 1,
                hosted->game.shot + 1);
    play(match);
    if (!host_game_is_over(hosted))
        return;
    host_game_finish(hosted);
    hosted->why[0] = '\0';
    take_leave(match);
}

json_t *host_run_dc4(const struct host_setting *setting, host_opened *opened,
                     struct host_ending *ret_ending)
{
    struct dc4_match *match = calloc(1, sizeof *match);

    if (!match || !(match->states = json_array())) {
        free(match);
        return NULL;
    }
    match->setting = *setting;
    match->hosted =
        (struct host_game){.setting = &match->setting, .end = SESSION_FAILED, .blamed = -1};
    match->is_mixed = setting->profile->rules.preplaced > 0;
    match->chooser = 1;
    match->power_end[0] = match->power_end[1] = -1;
    host_game_name(&match->hosted);
    host(match, opened);
    host_log_close(&match->hosted.log);
    web_host_close(match->web);
    dc4_end_players(match);
    json_t *result = host_game_result(&match->hosted);
    *ret_ending = (struct host_ending){match->hosted.end, match->hosted.blamed, match->is_begun,
                                       match->hosted.record};
    json_decref(match->states);
    free(match);
    return result;
}
