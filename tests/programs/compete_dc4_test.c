/* rink-compete dc4 against a simulated server: matches of four persons and of mixed doubles over
 * HTTP and server-sent events, and servers that lose streams, refuse shots and talk nonsense. */
#include "models/tables/profiles.h"
#include "tests/patience.h"
#include "tests/programs/compete_peer.h"

#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define MATCH    "0190a0b0-0000-7000-8000-00000000000a"
#define TEAM0_ID "5050f20f-0000-4000-8000-00000000000a"
#define TEAM1_ID "60e1e056-0000-4000-8000-00000000000b"
enum { REQUEST_BYTES = 8192 };

/* What goes wrong; each at its first opportunity unless it says otherwise. */
enum trouble {
    ALL_WELL,
    MATCH_503,             /* the match cannot be read at first */
    STREAM_DROPS,          /* after every state */
    STREAM_AWAY,           /* for 6 s of our clock */
    SHOT_COUNTS_500,       /* a shot counts, but is answered by 500 */
    SHOT_REFUSED_503,      /* a shot does not count */
    SETUP_REFUSED_503,     /* nor does the choice of a setup */
    SHOT_COUNTS_LATE,      /* the same, and the next state comes when the state is asked for */
    SHOT_NO_ANSWER_KEPT,   /* the second one counts, but the connection of the first breaks */
    SHOT_NO_ANSWER,        /* a shot counts, but its connection breaks */
    SHOT_COUNTS_NO_LATEST, /* answered by 500, and the server cannot be asked for its state */
    SHOT_LOST_NO_LATEST,   /* the same, but it did not count */
    SHOT_409,              /* every shot: the same as not our turn */
    MATCH_IS_OVER,         /* before the program comes; the stream says nothing */
    LATEST_IS_OLDER, /* the newest state is told as an older one, the one before as the latest */
    EVENT_NO_JSON,
    EVENT_WRONG_TYPES,
    EVENT_HALF, /* a stream ends in the middle of an event */
    EVENT_LONG  /* 40 KB, in small pieces */
};

struct host {
    struct peer peer;
    struct game game;
    const struct profile *profile;
    const struct ice_profile *ice;
    bool is_mixed, is_set_up;
    int chooser; /* of the setup */
    char *board; /* the state after the last shot of an end, to be sent before the next one */
    enum trouble trouble;
    bool had_trouble, is_stuck;
    bool holds; /* the next state back */
    int stream, shots, setups, teams;
    int kept;       /* the connection of the first shot; -1: none */
    double clock_s; /* what is left to the program */
    int own_boards; /* last boards of ends whose setup the program chose, that more ends follow */
    bool is_over;
};

/* ---- states ---- */

static json_t *stones_json(const struct host *host, int team)
{
    const struct game *game = &host->game;
    json_t *list = json_array();

    for (int slot = 0; slot < (host->is_mixed ? 6 : 8); slot++) {
        int stone = stone_of_slot(team, slot, game_team0_has_hammer(game));
        struct vec2 at = {0.0, 0.0};
        if (position_has(&game->position, stone))
            at = game->position.stone[stone];
        json_array_append_new(list, json_pack("{s:f, s:f}", "x", at.x, "y", at.y));
    }
    return list;
}

static json_t *scores_json(const struct game *game, int team)
{
    json_t *list = json_array();

    for (int end = 0; end <= game->ends; end++)
        json_array_append_new(list, json_integer(game->scores[team][end]));
    return list;
}

static char *state_text(const struct host *host)
{
    const struct game *game = &host->game;
    bool waits = host->is_mixed && !host->is_set_up;
    int winner = game->result.winner, next = waits ? -1 : game_next_team(game);
    static const char *const teams[] = {"team0", "team1"};
    json_t *state = json_pack(
        "{s:s?, s:i, s:o, s:s?, s:f, s:f, s:f, s:f, s:n, s:{s:{s:o, s:o}}, s:{s:o, s:o}}",
        "winner_team", winner < 0 ? NULL : teams[winner], "end_number", game->end,
        "total_shot_number", waits ? json_null() : json_integer(game->shot), "next_shot_team",
        next < 0 ? NULL : teams[next], "first_team_remaining_time", host->clock_s,
        "second_team_remaining_time", 30.0, "first_team_extra_end_remaining_time", 10.0,
        "second_team_extra_end_remaining_time", 10.0, "last_move", "stone_coordinate", "data",
        "team0", stones_json(host, 0), "team1", stones_json(host, 1), "score", "team0",
        scores_json(game, 0), "team1", scores_json(game, 1));
    if (host->is_mixed)
        json_object_set_new(state, "mixed_doubles_settings",
                            json_pack("{s:s, s:i, s:{s:n, s:n}}", "end_setup_team",
                                      teams[host->chooser], "positioned_stones_pattern", 2,
                                      "power_play_end", "team0", "team1"));
    char *text = json_dumps(state, JSON_COMPACT);
    assert_non_null(text);
    json_decref(state);
    return text;
}

/* The same as an answer to a request: the teams have ids, and there is no word of the last shot or
 * of mixed doubles. */
static char *asked_state_text(const struct host *host)
{
    static const char *const members[][2] = {{"winner_team", "winner_team_id"},
                                             {"next_shot_team", "next_shot_team_id"}};
    char *text = state_text(host);
    json_t *state = json_loads(text, 0, NULL);

    free(text);
    for (int k = 0; k < 2; k++) {
        const char *team = json_string_value(json_object_get(state, members[k][0]));
        json_object_set_new(state, members[k][1],
                            !team ? json_null()
                                  : json_string(strcmp(team, "team0") == 0 ? TEAM0_ID : TEAM1_ID));
        json_object_del(state, members[k][0]);
    }
    json_object_del(state, "last_move");
    json_object_del(state, "mixed_doubles_settings");
    text = json_dumps(state, JSON_COMPACT);
    assert_non_null(text);
    json_decref(state);
    return text;
}

/* Keeps the board of an end that is finished, as the official server sends it: without a number of
 * shots in mixed doubles. */
static void keep_board(struct host *host, const struct position *board, int end, int hammer)
{
    struct host then = *host;

    then.game.position = *board;
    then.game.hammer_team = hammer;
    then.is_set_up = true;
    char *text = state_text(&then);
    json_t *state = json_loads(text, 0, NULL);
    free(text);
    json_object_set_new(state, "end_number", json_integer(end));
    json_object_set_new(state, "total_shot_number",
                        host->is_mixed ? json_null() : json_integer(16));
    json_object_set_new(state, "next_shot_team", json_null());
    json_object_set_new(state, "last_move",
                        json_pack("{s:f, s:f, s:f}", "translational_velocity", 2.4,
                                  "angular_velocity", 1.57, "shot_angle", 1.57));
    free(host->board);
    host->board = json_dumps(state, JSON_COMPACT);
    json_decref(state);
}

/* Throws a shot of either team, and decides who chooses the setup of the next end. */
static void throw_one(struct host *host, struct shot shot)
{
    const int end = host->game.end, hammer = host->game.hammer_team, chooser = host->chooser;
    const struct position board = peer_throw(&host->game, host->ice, shot);

    if (host->game.end == end)
        return;
    keep_board(host, &board, end, hammer); /* with the team that chose this end's */
    host->own_boards += host->is_mixed && chooser == 0 && host->game.result.winner < 0;
    host->is_set_up = false;
    host->chooser = host->game.scores[0][end] > 0   ? 1
                    : host->game.scores[1][end] > 0 ? 0
                                                    : 1 - chooser;
}

/* ---- HTTP ---- */

static void send_text(int fd, const char *text, size_t piece)
{
    struct peer peer = {.fd = fd};
    peer_send(&peer, text, piece);
}

static void send_chunk(int fd, const char *text, size_t piece)
{
    char size[32];

    snprintf(size, sizeof size, "%zx\r\n", strlen(text));
    send_text(fd, size, 0);
    send_text(fd, text, piece);
    send_text(fd, "\r\n", 0);
}

static void answer_on(int fd, int status, const char *body, bool is_last)
{
    char text[REQUEST_BYTES];

    snprintf(text, sizeof text,
             "HTTP/1.1 %d X\r\n%sContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
             status, is_last ? "Connection: close\r\n" : "", strlen(body), body);
    send_text(fd, text, 0);
}

static void answer(int fd, int status, const char *body)
{
    answer_on(fd, status, body, true);
}

static bool once(struct host *host, enum trouble trouble)
{
    if (host->trouble != trouble || host->had_trouble)
        return false;
    host->had_trouble = true;
    return true;
}

static void drop_stream(struct host *host)
{
    if (host->stream >= 0)
        close(host->stream);
    host->stream = -1;
}

/* As the official server does where its replay begins after the first shot of the other team. */
static void send_in_the_wrong_order(struct host *host, const char *newest)
{
    json_t *before = json_loads(newest, 0, NULL);
    char *event = NULL;

    assert_true(asprintf(&event, "event: state_update\ndata: %s\n\n", newest) > 0);
    send_chunk(host->stream, event, 0);
    free(event);
    json_object_set_new(before, "total_shot_number", json_integer(host->game.shot - 1));
    json_object_set_new(before, "next_shot_team", json_string("team1"));
    char *text = json_dumps(before, JSON_COMPACT);
    assert_true(asprintf(&event, "event: latest_state_update\ndata: %s\n\n", text) > 0);
    send_chunk(host->stream, event, 0);
    free(event);
    free(text);
    json_decref(before);
}

/* Sends the newest state to the stream, in the way of the trouble. */
static void send_state(struct host *host)
{
    bool is_over = host->game.result.winner >= 0;
    char *board = host->board, *event = NULL;
    char *state = is_over && board ? strdup(board) : state_text(host);

    if (host->stream < 0) {
        free(state);
        return;
    }
    if (host->shots == 1 && once(host, STREAM_AWAY)) {
        drop_stream(host);
        free(state);
        return;
    }
    host->board = NULL;
    if (board && !is_over) {
        assert_true(asprintf(&event, "event: latest_state_update\ndata: %s\n\n", board) > 0);
        send_chunk(host->stream, event, 0);
        free(event);
        event = NULL;
    }
    free(board);
    if (once(host, EVENT_NO_JSON)) {
        free(state);
        state = strdup("{\"end_number\":");
    } else if (once(host, EVENT_WRONG_TYPES)) {
        free(state);
        state = strdup("{\"end_number\":\"first\",\"total_shot_number\":true}");
    } else if (once(host, EVENT_HALF)) {
        send_chunk(host->stream, "event: latest_state_update\ndata: {\"end_", 0);
        drop_stream(host);
        free(state);
        return;
    }
    if (host->game.shot > 0 && game_next_team(&host->game) == 0 && once(host, LATEST_IS_OLDER)) {
        send_in_the_wrong_order(host, state);
        free(state);
        return;
    }
    bool is_long = once(host, EVENT_LONG);
    assert_true(asprintf(&event, "event: latest_state_update\ndata: {\"filler\":\"%0*d\",%s\n\n",
                         is_long ? 40000 : 1, 0, state + 1) > 0);
    send_chunk(host->stream, state[0] ? event : "", is_long ? 999 : 0);
    if (host->trouble == STREAM_DROPS && !is_over)
        drop_stream(host);
    free(event);
    free(state);
}

/* The host's own team moves until it is the program's turn or the match is over. */
static void play_on(struct host *host)
{
    static const char *const ping = ": ping\n\n";
    const int us = 0;

    if (host->stream >= 0)
        send_chunk(host->stream, ping, 0);
    for (;;) {
        if (host->is_mixed && !host->is_set_up && host->game.result.winner < 0 &&
            host->chooser != us) {
            position_put(&host->game.position, 0, (struct vec2){0.0, 34.435});
            position_put(&host->game.position, 1, (struct vec2){0.0, 38.870});
            host->game.hammer_team = 1;
            host->is_set_up = true;
        }
        send_state(host);
        bool waits = host->is_mixed && !host->is_set_up;
        if (host->game.result.winner >= 0 || waits || game_next_team(&host->game) == us)
            return;
        throw_one(host, peer_own_shot(&host->game, host->ice));
    }
}

static double number_in(const char *body, const char *member)
{
    json_t *object = json_loads(body, 0, NULL);
    const json_t *value = json_object_get(object, member);

    assert_true(json_is_number(value));
    double number = json_number_value(value);
    json_decref(object);
    return number;
}

static void take_shot(struct host *host, const char *body)
{
    double speed = number_in(body, "translational_velocity");
    double angle = number_in(body, "shot_angle"), spin = number_in(body, "angular_velocity");

    assert_true(fabs(spin) >= 0.5235 && fabs(spin) <= 1.5709);
    throw_one(host, (struct shot){{speed * cos(angle), speed * sin(angle)}, -spin});
    if (host->trouble == STREAM_AWAY)
        host->clock_s -= host->shots == 1 ? 6.4 : 0.2;
    host->shots++;
}

static void hear_shot(struct host *host, int fd, const char *body)
{
    if (host->trouble == SHOT_409) {
        answer(fd, 409, "{\"detail\":\"Not your turn.\"}");
        return;
    }
    if (host->game.result.winner >= 0 || game_next_team(&host->game) != 0) {
        host->is_stuck = true; /* sent twice */
        answer(fd, 409, "{\"detail\":\"Not your turn.\"}");
        return;
    }
    if (once(host, SHOT_REFUSED_503) || once(host, SHOT_LOST_NO_LATEST)) {
        answer(fd, 503, "{}");
        return;
    }
    take_shot(host, body);
    if (once(host, SHOT_NO_ANSWER_KEPT)) {
        host->kept = fd;
        answer_on(fd, 200, "null", false);
        play_on(host);
        return;
    }
    if (once(host, SHOT_COUNTS_LATE)) {
        answer(fd, 500, "{}");
        host->holds = true;
        return;
    }
    if (once(host, SHOT_COUNTS_500) || once(host, SHOT_COUNTS_NO_LATEST))
        answer(fd, 500, "{}");
    else if (!once(host, SHOT_NO_ANSWER))
        answer(fd, 200, "null");
    play_on(host);
}

static void hear_setup(struct host *host, int fd, const char *line)
{
    const char *words[] = {"center_guard", "center_house", "pp_left", "pp_right"};
    int found = -1;

    for (int k = 0; k < 4; k++)
        if (strstr(line, words[k]))
            found = k;
    assert_true(found >= 0 && host->is_mixed && !host->is_set_up && host->chooser == 0);
    if (once(host, SETUP_REFUSED_503)) {
        answer(fd, 503, "{}");
        return;
    }
    bool is_guard = found == 0;
    double x = found < 2 ? 0.0 : 1.0, side = found == 2 ? -1.0 : 1.0;
    host->game.hammer_team = is_guard ? 1 : 0;
    host->game.position = (struct position){.in_play = 0};
    position_put(&host->game.position, 0, (struct vec2){1.073 * x * side, 34.435});
    position_put(&host->game.position, 1,
                 (struct vec2){1.219 * x * side, found < 2 ? 38.870 : 38.260});
    host->is_set_up = true;
    host->setups++;
    answer(fd, 200, "null");
    play_on(host);
}

static void open_stream(struct host *host, int fd)
{
    drop_stream(host);
    host->stream = fd;
    send_text(fd,
              "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
              "Transfer-Encoding: chunked\r\n\r\n",
              0);
    play_on(host);
}

/* Reads the head and body of a request. */
static bool read_request(int fd, char text[REQUEST_BYTES], const char **ret_body)
{
    size_t used = 0;

    for (;;) {
        struct pollfd polled = {.fd = fd, .events = POLLIN};
        assert_int_equal(poll(&polled, 1, PATIENCE_MS), 1);
        ssize_t got = recv(fd, text + used, REQUEST_BYTES - 1 - used, 0);
        if (got <= 0)
            return false;
        used += (size_t)got;
        text[used] = '\0';
        const char *end = strstr(text, "\r\n\r\n"), *field = strcasestr(text, "content-length:");
        size_t length = field && field < end ? strtoul(field + 15, NULL, 10) : 0;
        if (!end || used < (size_t)(end + 4 - text) + length)
            continue;
        *ret_body = end + 4;
        return true;
    }
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void serve_one(struct host *host)
{
    char text[REQUEST_BYTES], match[512];
    const char *body;
    int fd = accept4(host->peer.listener, NULL, NULL, SOCK_CLOEXEC);

    assert_true(fd >= 0);
    if (!read_request(fd, text, &body)) {
        close(fd);
        return;
    }
    assert_non_null(strstr(text, "Authorization: Basic bWU6d29yZA==")); /* me:word */
    snprintf(match, sizeof match,
             "{\"game_mode\":\"%s\",\"applied_rule\":%d,\"standard_end_count\":%d,"
             "\"simulator\":{\"simulator_name\":\"fcv1\"},\"first_team_id\":\"" TEAM0_ID
             "\",\"second_team_id\":\"" TEAM1_ID "\",\"mixed_doubles_settings\":%s}",
             host->is_mixed ? "mixed_doubles" : "standard", host->is_mixed ? 2 : 0, host->game.ends,
             host->is_mixed ? "{\"positioned_stones_pattern\":2}" : "null");
    bool is_stream = begins(text, "GET /matches/" MATCH "/stream ");
    if (begins(text, "GET /matches/" MATCH " "))
        answer(fd, once(host, MATCH_503) ? 503 : 200, match);
    else if (begins(text, "POST /store-team-config?match_id=" MATCH)) {
        host->teams++;
        answer(fd, 200, "\"team0\"");
    } else if (is_stream)
        open_stream(host, fd);
    else if (begins(text, "POST /shots?match_id=" MATCH))
        hear_shot(host, fd, body);
    else if (begins(text, "POST /matches/" MATCH "/end-setup?request="))
        hear_setup(host, fd, text);
    else if (begins(text, "GET /matches/" MATCH "/latest-state ")) {
        bool is_there =
            host->trouble != SHOT_COUNTS_NO_LATEST && host->trouble != SHOT_LOST_NO_LATEST;
        if (host->holds)
            play_on(host);
        host->holds = false;
        char *state = asked_state_text(host);
        answer(fd, is_there ? 200 : 404, state);
        free(state);
    } else {
        fail_msg("an unknown request: %.80s", text);
    }
    if (!is_stream && fd != host->kept)
        close(fd);
}

/* The second shot comes on the connection of the first one. */
static void break_kept(struct host *host)
{
    char text[REQUEST_BYTES];
    const char *body;

    assert_true(read_request(host->kept, text, &body));
    assert_true(begins(text, "POST /shots?match_id=" MATCH));
    take_shot(host, body);
    close(host->kept);
    host->kept = -1;
    play_on(host);
}

/* Serves until the program ends. */
static void serve(struct host *host)
{
    for (;;) {
        struct pollfd polled[] = {{.fd = host->peer.listener, .events = POLLIN},
                                  {.fd = fileno(host->peer.program.from), .events = POLLIN},
                                  {.fd = host->kept, .events = POLLIN}};
        assert_true(poll(polled, 3, PATIENCE_MS) > 0);
        if (polled[1].revents)
            return;
        if (polled[2].revents)
            break_kept(host);
        else
            serve_one(host);
    }
}

/* Plays a match and returns the program's result. */
static json_t *play(struct host *host, const char *folder, bool is_mixed, int ends,
                    enum trouble trouble, int status, const char *word)
{
    char path[256], option[300];
    snprintf(path, sizeof path, "%s/password", folder);
    FILE *file = fopen(path, "we");
    assert_true(file && fputs("word\n", file) >= 0 && fclose(file) == 0);
    snprintf(option, sizeof option, "--password-file=%s", path);
    /* One that still thinks when the state that was asked for comes. */
    const char *player = trouble == SHOT_COUNTS_LATE ? "--player=rink" : "--player=ai-simple";
    const char *const options[] = {"--match=" MATCH, "--user=me",     option, player,
                                   "--reconnect=0",  "--silence=200", NULL};
    const struct profile *profile = profile_find(is_mixed ? "dc4-modified" : "dc4");

    *host = (struct host){.profile = profile,
                          .ice = profile->ice,
                          .is_mixed = is_mixed,
                          .chooser = 1,
                          .trouble = trouble,
                          .clock_s = trouble == STREAM_AWAY        ? 16.0
                                     : trouble == SHOT_COUNTS_LATE ? 3.0
                                                                   : 30.0,
                          .stream = -1,
                          .kept = -1};
    assert_int_equal(game_start(&profile->rules, ends, RULES_ENDS_MAX, 1, &host->game), GAME_OK);
    while (trouble == MATCH_IS_OVER && host->game.result.winner < 0)
        throw_one(host, peer_own_shot(&host->game, host->ice));
    peer_start(&host->peer, "dc4", folder, options);
    serve(host);
    drop_stream(host);
    assert_int_equal(host->teams, 1);
    return peer_end(&host->peer, status, word);
}

static void check_points(const json_t *result, const struct host *host)
{
    const json_t *points = json_object_get(result, "points");

    assert_int_equal(json_integer_value(json_object_get(points, "team0")),
                     game_total(&host->game, 0));
    assert_int_equal(json_integer_value(json_object_get(points, "team1")),
                     game_total(&host->game, 1));
    assert_string_equal(json_string_value(json_object_get(result, "winner")),
                        host->game.result.winner == 0 ? "team0" : "team1");
}

static void a_match_is_played_to_its_end_with_equal_scores(void **state)
{
    struct host host;
    json_t *result = play(&host, *state, false, 1, ALL_WELL, 0, "over");

    check_points(result, &host);
    assert_int_equal(json_integer_value(json_object_get(result, "fallbacks")), 0);
    assert_true(host.shots >= 8);
    json_decref(result);
    peer_check_replay(&host.peer, host.shots);
    free(host.peer.log);
}

static void mixed_doubles_is_played_with_its_choices(void **state)
{
    struct host host;
    json_t *result = play(&host, *state, true, 4, ALL_WELL, 0, "over");

    check_points(result, &host);
    assert_true(host.shots >= 20);
    assert_true(host.own_boards >
                0); /* they ask for no setup, though the server says whose it was */
    json_decref(result);
    peer_check_replay(&host.peer, host.shots + host.setups);
    free(host.peer.log);
}

/* Each shot counts once, whatever happens to its answer or to the stream. */
static void shots_count_once_on_a_bad_network(void **state)
{
    static const enum trouble troubles[] = {
        MATCH_503,           STREAM_DROPS,    SHOT_COUNTS_500,   SHOT_REFUSED_503,
        SHOT_NO_ANSWER,      EVENT_HALF,      EVENT_LONG,        SHOT_COUNTS_NO_LATEST,
        SHOT_LOST_NO_LATEST, LATEST_IS_OLDER, SETUP_REFUSED_503, SHOT_COUNTS_LATE,
        SHOT_NO_ANSWER_KEPT};

    for (size_t k = 0; k < sizeof troubles / sizeof troubles[0]; k++) {
        struct host host;
        bool is_mixed = troubles[k] == SETUP_REFUSED_503;
        json_t *result = play(&host, *state, is_mixed, is_mixed ? 2 : 1, troubles[k], 0, "over");
        assert_true(!is_mixed || host.had_trouble);
        check_points(result, &host);
        json_int_t decisions = json_integer_value(json_object_get(result, "decisions"));
        if (host.is_stuck || decisions != host.shots + host.setups)
            fail_msg("trouble %zu: a shot was sent twice", k);
        json_decref(result);
        free(host.peer.log);
    }
}

/* The clock does not set aside the seconds of the loss for each later shot. */
static void a_lost_stream_leaves_time_to_think(void **state)
{
    struct host host;
    json_t *result = play(&host, *state, false, 1, STREAM_AWAY, 0, "over");

    assert_true(host.had_trouble);
    check_points(result, &host);
    assert_int_equal(json_integer_value(json_object_get(result, "fallbacks")), 0);
    json_decref(result);
    free(host.peer.log);
}

/* As after a restart behind the last shot. */
static void a_match_that_is_over_is_told_at_once(void **state)
{
    struct host host;
    json_t *result = play(&host, *state, false, 1, MATCH_IS_OVER, 0, "over");

    check_points(result, &host);
    assert_int_equal(json_integer_value(json_object_get(result, "decisions")), 0);
    free(host.board);
    json_decref(result);
    free(host.peer.log);
}

static void servers_that_talk_nonsense_are_told(void **state)
{
    static const struct {
        enum trouble trouble;
        const char *why;
    } cases[] = {{EVENT_NO_JSON, "not a JSON object"}, {EVENT_WRONG_TYPES, "end_number"}};

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct host host;
        json_t *result = play(&host, *state, false, 1, cases[k].trouble, 4, "broken");
        assert_non_null(strstr(json_string_value(json_object_get(result, "why")), cases[k].why));
        json_decref(result);
        free(host.peer.log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_is_played_to_its_end_with_equal_scores),
        cmocka_unit_test(mixed_doubles_is_played_with_its_choices),
        cmocka_unit_test(shots_count_once_on_a_bad_network),
        cmocka_unit_test(a_lost_stream_leaves_time_to_think),
        cmocka_unit_test(a_match_that_is_over_is_told_at_once),
        cmocka_unit_test(servers_that_talk_nonsense_are_told),
    };

    return cmocka_run_group_tests(tests, program_make_folder, program_remove_folder);
}
