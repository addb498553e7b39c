/* A hosted game from the first connection to its result. See host.h.
 *
 * As on the official server, a client that breaks the protocol or goes away ends the game; but
 * whoever has not said its name yet only loses its connection, so that a stray visitor of the port
 * ends nothing. */
#include "workers/compete/host.h"

#include "api/build_json.h"
#include "api/clock.h"
#include "api/game_json.h"
#include "models/ice/random.h"
#include "models/tables/profiles.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICK_MS = 200, SHOTS_KEY = 16, ENDS_MAX = PAIR_ENDS_MAX + PAIR_EXTRA_ENDS_MAX };
#define FRAME_S 0.1 /* of trajectories */
/* After the game, for clients to hang up and players of ours to end. */
#define FAREWELL_S 5.0
/* From a connection to the name of its team. */
#define NAME_S 10.0

struct match {
    const struct host_setting *setting;
    struct host_seat seats[2];
    struct host_log log;
    char names[2][RECORDER_NAME_MAX]; /* as players */

    struct game game;
    double left_s[2];
    struct pair_game record;
    int shots;

    enum session_end end;
    char why[HOST_WHY_MAX];
};

/* ---- the lock ---- */

static struct flock whole_file(void)
{
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
}

bool host_lock(const char *folder, char ret_why[HOST_WHY_MAX])
{
    char path[PATH_MAX];
    struct flock lock = whole_file();

    snprintf(path, sizeof path, "%s/" HOST_LOCK_FILE, folder);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600); /* stays open */
    if (fd >= 0 && fcntl(fd, F_SETLK, &lock) == 0)
        return true;
    snprintf(ret_why, HOST_WHY_MAX, "%.200s: %s", folder,
             errno == EACCES || errno == EAGAIN ? "a game is hosted there" : strerror(errno));
    if (fd >= 0)
        close(fd);
    return false;
}

pid_t host_locked_by(const char *folder)
{
    char path[PATH_MAX];
    struct flock lock = whole_file();

    snprintf(path, sizeof path, "%s/" HOST_LOCK_FILE, folder);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    bool is_known = fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0;
    if (fd >= 0)
        close(fd);
    return is_known && lock.l_type != F_UNLCK ? lock.l_pid : 0;
}

/* ---- words ---- */

/* Ends the game; the first reason counts. Returns false. */
__attribute__((format(printf, 3, 4))) static bool
end_game(struct match *match, enum session_end end, const char *format, ...)
{
    va_list arguments;

    if (match->why[0])
        return false;
    match->end = end;
    va_start(arguments, format);
    vsnprintf(match->why, sizeof match->why, format, arguments);
    va_end(arguments);
    return false;
}

/* Sends a message; takes ownership of it. */
static bool say(struct match *match, int team, json_t *message)
{
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    size_t length = text ? strlen(text) : 0;
    char *line = text ? realloc(text, length + 2) : NULL;

    json_decref(message);
    if (!line) {
        free(text);
        return end_game(match, SESSION_FAILED, "out of memory");
    }
    memcpy(line + length, "\n", 2);
    bool good = seat_say(&match->seats[team], line);
    free(line);
    return good || end_game(match, SESSION_CLOSED, "team%d does not read, or hung up", team);
}

enum event { HEARD_LINE, HEARD_LONG, HEARD_END, HEARD_NOTHING, HEARD_STOP };

/* Takes the clients that come, and polls both connections. */
static void look(struct match *match, int wait_ms, bool ret_ended[2])
{
    struct pollfd polled[2];

    for (int team = 0; team < 2; team++) {
        const struct host_seat *seat = &match->seats[team];
        polled[team] =
            (struct pollfd){.fd = seat->fd >= 0 ? seat->fd : seat->listener, .events = POLLIN};
    }
    if (poll(polled, 2, wait_ms) <= 0)
        return;
    for (int team = 0; team < 2; team++) {
        struct host_seat *seat = &match->seats[team];
        if (!polled[team].revents)
            continue;
        if (seat->fd >= 0) {
            ret_ended[team] = !seat_fill(seat);
            continue;
        }
        seat_accept(seat);
        seat->stage = seat->fd >= 0 ? HOST_AWAITS_NAME : HOST_EMPTY;
        seat->since_s = clock_now_s();
        if (seat->fd >= 0 && !say(match, team, host_dc(match->log.id, match->log.when))) {
            match->why[0] = '\0'; /* a stranger */
            seat_drop(seat);
        }
    }
}

/* Waits for a line of either client, until a time (clock_now_s()). */
static enum event await(struct match *match, double until_s, int *ret_team, char **ret_line)
{
    for (;;) {
        bool ended[2] = {false, false}, is_long;
        for (*ret_team = 0; *ret_team < 2; ++*ret_team) {
            if (match->seats[*ret_team].fd < 0)
                continue;
            *ret_line = seat_line(&match->seats[*ret_team], &is_long);
            if (*ret_line || is_long)
                return is_long ? HEARD_LONG : HEARD_LINE;
        }
        double left_ms = (until_s - clock_now_s()) * 1000.0;
        if (atomic_load(match->setting->cancel))
            return HEARD_STOP;
        if (left_ms <= 0.0)
            return HEARD_NOTHING;
        look(match, left_ms < TICK_MS ? (int)left_ms + 1 : TICK_MS, ended);
        for (*ret_team = 0; *ret_team < 2; ++*ret_team)
            if (ended[*ret_team])
                return HEARD_END;
    }
}

/* ---- before the game ---- */

static bool hear_name(struct match *match, int team, const char *line)
{
    struct host_seat *seat = &match->seats[team];
    char why[HOST_WHY_MAX];
    json_t *message;

    if (!host_hear(line, "dc_ok", &message, why)) {
        fprintf(stderr, "team%d: %s; the connection is closed\n", team, why);
        seat_drop(seat);
        return true;
    }
    const char *name = json_string_value(json_object_get(message, "name"));
    if (seat->word[0] && (!name || strcmp(name, seat->word) != 0)) {
        fprintf(stderr, "team%d: somebody else came to the seat of our player\n", team);
        json_decref(message);
        seat_drop(seat);
        return true;
    }
    if (seat->word[0])
        name = match->setting->player[team];
    if (!name) {
        json_decref(message);
        return end_game(match, SESSION_BROKEN, "team%d: dc_ok/name: must be a text", team);
    }
    snprintf(seat->name, sizeof seat->name, "%s", name);
    strict_make_ascii(seat->name);
    json_object_set_new(message, "name", json_string(seat->name));
    host_log_say(&match->log, message, team);
    seat->stage = HOST_AWAITS_ORDER;
    return say(match, team, host_is_ready(match->setting, team));
}

static bool hear_order(struct match *match, int team, const char *line)
{
    char why[HOST_WHY_MAX];
    json_t *message;

    if (!host_hear(line, "ready_ok", &message, why))
        return end_game(match, SESSION_BROKEN, "team%d %.280s", team, why);
    if (!host_read_order(message, why)) {
        json_decref(message);
        return end_game(match, SESSION_BROKEN, "team%d: %.280s", team, why);
    }
    host_log_say(&match->log, message, team);
    match->seats[team].stage = HOST_READY;
    return true;
}

/* Whoever connects and says nothing makes room for the next. */
static void drop_silent(struct match *match, double now_s)
{
    for (int team = 0; team < 2; team++) {
        struct host_seat *seat = &match->seats[team];
        if (seat->stage != HOST_AWAITS_NAME || now_s < seat->since_s + NAME_S)
            continue;
        fprintf(stderr, "team%d: somebody came and said no name\n", team);
        seat_drop(seat);
    }
}

/* A player of ours that cannot play ends the game at once. */
static bool check_players(struct match *match)
{
    for (int team = 0; team < 2; team++) {
        struct host_seat *seat = &match->seats[team];
        if (seat->player > 0 && waitpid(seat->player, NULL, WNOHANG) == seat->player) {
            seat->player = 0;
            return end_game(match, SESSION_FAILED, "the player of team%d ended before the game",
                            team);
        }
    }
    return true;
}

static bool hear_before(struct match *match, enum event event, int team, const char *line)
{
    struct host_seat *seat = team < 2 ? &match->seats[team] : NULL;

    if (event == HEARD_STOP)
        return end_game(match, SESSION_STOPPED, "stopped before the game began");
    if (event == HEARD_NOTHING)
        return true;
    if (event == HEARD_LINE && seat->stage == HOST_AWAITS_NAME)
        return hear_name(match, team, line);
    if (event == HEARD_LINE && seat->stage == HOST_AWAITS_ORDER)
        return hear_order(match, team, line);
    if (seat->stage == HOST_AWAITS_NAME) {
        fprintf(stderr, "team%d: somebody came and said nothing of use\n", team);
        seat_drop(seat);
        return true;
    }
    if (event == HEARD_END)
        return end_game(match, SESSION_CLOSED, "team%d hung up before the game", team);
    return end_game(match, SESSION_BROKEN, "team%d spoke out of turn or too long", team);
}

static bool is_ready(const struct match *match)
{
    return match->seats[0].stage == HOST_READY && match->seats[1].stage == HOST_READY;
}

static bool greet(struct match *match)
{
    double until_s = clock_now_s() + match->setting->wait_s;

    while (!is_ready(match)) {
        double now_s = clock_now_s();
        int team;
        char *line = NULL;
        if (now_s >= until_s)
            return end_game(match, SESSION_SILENT, "team%d was not ready within %d s",
                            match->seats[0].stage == HOST_READY, match->setting->wait_s);
        enum event event = await(match, fmin(until_s, now_s + TICK_MS / 1000.0), &team, &line);
        if (!hear_before(match, event, team, line) || !check_players(match))
            return false;
        drop_silent(match, now_s);
    }
    host_log_say(&match->log, host_is_ready(match->setting, -1), -1);
    host_log_say(&match->log, host_new_game(match->seats), -1);
    return say(match, 0, host_new_game(match->seats)) && say(match, 1, host_new_game(match->seats));
}

/* ---- the game ---- */

static bool is_over(const struct match *match)
{
    return match->game.rules && match->game.result.reason != GAME_RUNNING;
}

static void write_state(const struct match *match)
{
    const struct game *game = &match->game;
    const struct host_setting *setting = match->setting;
    bool is_running = game->rules && !is_over(match);
    json_t *state = json_pack("{s:s, s:i, s:{s:i, s:i}, s:{s:s, s:s}}", "profile",
                              setting->profile->name, "ends", setting->ends, "ports", "team0",
                              match->seats[0].port, "team1", match->seats[1].port, "names", "team0",
                              match->seats[0].name, "team1", match->seats[1].name);

    if (game->rules) {
        build_add(
            state, "points",
            json_pack("{s:i, s:i}", "team0", game_total(game, 0), "team1", game_total(game, 1)));
        build_add(state, "left",
                  json_pack("{s:f, s:f}", "team0", match->left_s[0], "team1", match->left_s[1]));
    }
    if (is_running) {
        build_add(state, "end_number", json_integer(game->end + 1));
        build_add(state, "shot", json_integer(game->shot + 1));
        build_add(state, "state", game_state_json(game));
    }
    if (!host_write(setting->folder, HOST_STATE_FILE, state, false))
        perror(HOST_STATE_FILE);
}

/* Tells both where the game stands; the one to move hears it last, as its clock runs from then on.
 */
static bool tell(struct match *match, const struct host_move *move)
{
    int next = game_next_team(&match->game), last = next < 0 ? 1 : next;
    bool with_path = match->setting->sends_trajectory;

    write_state(match);
    host_log_say(&match->log, host_update(&match->game, match->left_s, move, false), -1);
    bool good = say(match, 1 - last, host_update(&match->game, match->left_s, move, with_path)) &&
                say(match, last, host_update(&match->game, match->left_s, move, with_path));
    /* After the end of the game a client may have hung up. */
    return good || is_over(match);
}

/* Waits for the move of a team. False: the game has ended without one. */
static bool hear_move(struct match *match, int mover, struct host_move *ret_move)
{
    double start_s = clock_now_s();
    int team;
    char *line = NULL, why[HOST_WHY_MAX];
    json_t *message;
    enum event event = await(match, start_s + match->left_s[mover], &team, &line);
    double elapsed_s = clock_now_s() - start_s;

    *ret_move = (struct host_move){.late = elapsed_s >= match->left_s[mover]};
    match->left_s[mover] = fmax(match->left_s[mover] - elapsed_s, 0.0);
    if (event == HEARD_STOP)
        return end_game(match, SESSION_STOPPED, "stopped during the game");
    if (event == HEARD_END)
        return end_game(match, SESSION_CLOSED, "team%d hung up during the game", team);
    if (event == HEARD_LONG)
        return end_game(match, SESSION_BROKEN, "team%d said a line of more than %d bytes", team,
                        HOST_LINE_MAX);
    if (event == HEARD_LINE && team != mover)
        return end_game(match, SESSION_BROKEN, "team%d spoke while team%d was to move", team,
                        mover);
    if (event == HEARD_NOTHING || ret_move->late) {
        ret_move->late = true;
        return true;
    }
    if (!host_hear(line, "move", &message, why))
        return end_game(match, SESSION_BROKEN, "team%d %.280s", mover, why);
    bool good = host_read_move(message, ret_move, why);
    host_log_say(&match->log, message, mover);
    return good || end_game(match, SESSION_BROKEN, "team%d: %.280s", mover, why);
}

/* Gives the team's game away. */
static void give_up(struct match *match, const struct host_move *move, int mover)
{
    game_concede(&match->game, mover);
    if (move->late)
        match->game.result.reason = GAME_WON_BY_TIME;
    match->record.conceded = !move->late;
}

static bool throw_stone(struct match *match, struct host_move *move, struct trajectory *path,
                        struct game_turn *ret_turn)
{
    const struct host_setting *setting = match->setting;
    const struct ice_profile *ice = setting->profile->ice;
    struct game *game = &match->game;
    const struct random_key key = {.seed = setting->seed,
                                   .shot = (uint32_t)(SHOTS_KEY * game->end + game->shot),
                                   .purpose = RANDOM_EXECUTION};

    move->actual = noise_apply(&setting->noise, ice, move->selected, random_normal_pair(&key, 0));
    struct throw_request request = player_throw(game, ice, move->actual);
    struct throw_result result;
    request.trajectory = path;
    enum throw_status status = setting->engine(&request, &result);
    if (status != THROW_OK)
        return end_game(match, SESSION_FAILED, "the stone cannot be thrown: %s",
                        throw_status_text(status));
    move->path = path;
    move->before = game->position;
    move->stone = request.stone;
    move->team0_has_hammer = request.team0_has_hammer;
    game_play(game, &result.after, ret_turn);
    move->after = ret_turn->board;
    move->foul = ret_turn->offended >= 0;
    return true;
}

/* Notes a finished end, and gives both the time of an extra end. */
static void finish_end(struct match *match, const struct game *before)
{
    const struct game *game = &match->game;
    int end = before->end;

    if (end < ENDS_MAX) {
        match->record.end[end].score = (int8_t)(game->scores[0][end] - game->scores[1][end]);
        match->record.end[end].hammer = before->hammer_team == 0;
        match->record.ends = end + 1;
    }
    if (game->result.reason == GAME_RUNNING && game->end >= game->ends)
        match->left_s[0] = match->left_s[1] = match->setting->extra_end_time_s;
}

static bool play_shot(struct match *match, struct trajectory *path)
{
    const struct game before = match->game;
    int mover = game_next_team(&before);
    double left_s = match->left_s[mover];
    struct host_move move;
    struct game_turn turn = {.offended = -1};

    if (!hear_move(match, mover, &move))
        return false;
    double elapsed_s = left_s - match->left_s[mover];
    if (move.conceded || move.late)
        give_up(match, &move, mover);
    else if (!throw_stone(match, &move, path, &turn))
        return false;
    match->shots++;
    if (turn.end_finished)
        finish_end(match, &before);
    host_log_shot(&match->log, match->setting, &before, &move);
    host_log_record(&match->log, &before, &move, &turn, elapsed_s, match->names);
    return tell(match, &move);
}

/* Names the teams as players, and sets their clocks. */
static void name_players(struct match *match)
{
    for (int team = 0; team < 2; team++) {
        struct session_report names = {.team = 1 - team};
        snprintf(names.names[team], sizeof names.names[team], "%s", match->seats[team].name);
        if (match->setting->player[team])
            snprintf(match->names[team], RECORDER_NAME_MAX, "%s", match->setting->player[team]);
        else
            recorder_opponent(&protocol_dc3, &names, match->names[team]);
        match->left_s[team] = match->setting->time_s;
    }
}

static bool play(struct match *match)
{
    const struct host_setting *setting = match->setting;
    struct trajectory path;
    bool good;

    name_players(match);
    game_start(&setting->profile->rules, setting->ends, RULES_ENDS_MAX, 1, &match->game);
    trajectory_init(&path, FRAME_S);
    good = tell(match, NULL);
    while (good && !is_over(match))
        good = play_shot(match, &path);
    trajectory_free(&path);
    return good;
}

/* ---- the end ---- */

/* Lets the clients hang up first: what they have not read yet would be lost. */
static void take_leave(struct match *match)
{
    double until_s = clock_now_s() + FAREWELL_S;
    char *line;
    int team;

    for (team = 0; team < 2; team++)
        say(match, team, json_pack("{s:s}", "cmd", "game_over"));
    host_log_say(&match->log, json_pack("{s:s}", "cmd", "game_over"), -1);
    for (team = 0; team < 2; team++) {
        close(match->seats[team].listener);
        match->seats[team].listener = -1;
    }
    while (match->seats[0].fd >= 0 || match->seats[1].fd >= 0) {
        enum event event = await(match, until_s, &team, &line);
        if (event == HEARD_NOTHING || event == HEARD_STOP)
            break;
        if (event != HEARD_LINE)
            seat_drop(&match->seats[team]);
    }
    for (team = 0; team < 2; team++)
        while (match->seats[team].player > 0 && clock_now_s() < until_s) {
            if (waitpid(match->seats[team].player, NULL, WNOHANG) != 0)
                match->seats[team].player = 0;
            else
                poll(NULL, 0, 10);
        }
}

static json_t *result_json(const struct match *match)
{
    const struct host_setting *setting = match->setting;
    const struct game *game = &match->game;
    bool is_whole = match->end == SESSION_OVER && game->end <= ENDS_MAX;
    int half_points = is_whole ? 2 * match->record.half_points : -1;
    json_t *result =
        json_pack("{s:s, s:s, s:s, s:i, s:i, s:I, s:s, s:i}", "end", session_word(match->end),
                  "why", match->why, "profile", setting->profile->name, "ends", setting->ends,
                  "extra_ends", (int)RULES_ENDS_MAX, "seed", (json_int_t)setting->seed, "noise",
                  "server", "shots", match->shots);

    build_add(
        result, "names",
        json_pack("{s:s, s:s}", "team0", match->seats[0].name, "team1", match->seats[1].name));
    build_add(result, "a", json_pack("{s:s}", "player", match->names[0]));
    build_add(result, "b", json_pack("{s:s}", "player", match->names[1]));
    build_add(result, "pentanomial",
              json_pack("[i, i, i, i, i]", half_points == 0, half_points == 1, half_points == 2,
                        half_points == 3, half_points == 4));
    build_add(result, "points",
              json_pack("{s:i, s:i}", "team0", game_total(game, 0), "team1", game_total(game, 1)));
    build_add(result, "left",
              json_pack("{s:f, s:f}", "team0", match->left_s[0], "team1", match->left_s[1]));
    if (match->end == SESSION_OVER) {
        int winner = game->result.winner;
        build_add(result, "winner", winner < 0 ? json_null() : json_string(game_team_name(winner)));
        build_add(result, "reason", json_string(game_reason_name(game->result.reason)));
    }
    return result;
}

static bool open_seats(struct match *match)
{
    const struct host_setting *setting = match->setting;
    char why[HOST_WHY_MAX];

    for (int team = 0; team < 2; team++)
        match->seats[team] = (struct host_seat){.listener = -1, .fd = -1};
    for (int team = 0; team < 2; team++)
        if (!seat_open(&match->seats[team], setting->player[team] ? "127.0.0.1" : setting->listen,
                       setting->port[team], why))
            return end_game(match, SESSION_FAILED, "%s", why);
    if (!host_log_open(&match->log, setting->folder))
        return end_game(match, SESSION_FAILED, "%.200s: %s", setting->folder,
                        errno == EEXIST ? "another game is there" : strerror(errno));
    host_log_say(&match->log, host_dc(match->log.id, match->log.when), -1);
    write_state(match);
    for (int team = 0; team < 2; team++)
        if (setting->player[team] && !seat_start(&match->seats[team], setting, team, why))
            return end_game(match, SESSION_FAILED, "%s", why);
    return true;
}

static void host(struct match *match, void (*opened)(const int ports[2]))
{
    if (!open_seats(match))
        return;
    opened((const int[]){match->seats[0].port, match->seats[1].port});
    if (!greet(match) || !play(match))
        return;
    match->end = SESSION_OVER;
    match->record.half_points = match->game.result.winner < 0 ? 1 : 2 * !match->game.result.winner;
    if (match->game.end <= ENDS_MAX)
        host_log_result(&match->log, &match->record);
}

json_t *host_run(const struct host_setting *setting, void (*opened)(const int ports[2]),
                 enum session_end *ret_end)
{
    struct match *match = calloc(1, sizeof *match);

    if (!match)
        return NULL;
    match->setting = setting;
    match->end = SESSION_FAILED;
    name_players(match);
    host(match, opened);
    if (match->end == SESSION_OVER) {
        take_leave(match);
        match->end = SESSION_OVER; /* whoever was gone by then has played to the end */
        match->why[0] = '\0';
    }
    host_log_close(&match->log);
    json_t *result = result_json(match);
    *ret_end = match->end;
    for (int team = 0; team < 2; team++)
        seat_close(&match->seats[team]);
    free(match);
    return result;
}
