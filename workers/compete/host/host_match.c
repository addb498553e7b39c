/* A game of Digital Curling 3 from the first connection to its result. See host.h.
 *
 * As on the official server, a client that breaks the protocol or goes away ends the game. Before
 * the game it only loses its connection, whatever it has said by then: a stray visitor of the port
 * ends nothing, and a client may come again. */
#include "workers/compete/host/host.h"

#include "api/base/build_json.h"
#include "api/base/clock.h"
#include "api/base/utf8.h"
#include "api/curling/game_json.h"
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

enum { TICK_MS = 200 };
#define FRAME_S 0.1 /* of trajectories */
/* After the game, for clients to hang up and players of ours to end. */
#define FAREWELL_S 5.0
/* From a connection to the name of its team, and from there to the order of its players. */
#define NAME_S  10.0
#define ORDER_S 120.0

struct match {
    struct host_game hosted;
    struct host_seat seats[2];
    bool has_begun; /* both teams were ready: from now on they are players and no strangers */
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

/* Closes a connection before the game, and tells why. */
static void turn_away(struct match *match, int team, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void turn_away(struct match *match, int team, const char *format, ...)
{
    struct host_seat *seat = &match->seats[team];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(seat->fault, sizeof seat->fault, format, arguments);
    va_end(arguments);
    fprintf(stderr, "team%d: %s; the connection is closed\n", team, seat->fault);
    match->hosted.teams[team][0] = '\0';
    seat_drop(seat);
}

/* A message as a line; malloc'ed. Takes ownership of it. */
static char *line_of(json_t *message)
{
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    size_t length = text ? strlen(text) : 0;
    char *line = text ? realloc(text, length + 2) : NULL;

    json_decref(message);
    if (line)
        memcpy(line + length, "\n", 2);
    else
        free(text);
    return line;
}

/* Sends a message; takes ownership of it. */
static bool say(struct match *match, int team, json_t *message)
{
    char *line = line_of(message);

    if (!line)
        return host_game_end(&match->hosted, SESSION_FAILED, "out of memory");
    bool good = seat_say(&match->seats[team], line);
    free(line);
    if (good)
        return true;
    if (match->has_begun)
        return host_game_blame(&match->hosted, team, SESSION_CLOSED,
                               "team%d does not read, or hung up", team);
    turn_away(match, team, "does not read, or hung up");
    return true;
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
        if (seat->fd >= 0)
            say(match, team, host_dc(match->hosted.log.id, match->hosted.log.when));
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
        if (atomic_load(match->hosted.setting->cancel))
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

/* A client that comes again says its name again, so what it says is kept until the game begins. */
static void keep(struct host_seat *seat, json_t *message, enum host_stage next)
{
    json_decref(seat->said[next == HOST_READY]);
    seat->said[next == HOST_READY] = message;
    seat->stage = next;
    seat->since_s = clock_now_s();
}

static bool hear_name(struct match *match, int team, const char *line)
{
    struct host_seat *seat = &match->seats[team];
    char why[HOST_WHY_MAX];
    json_t *message;

    if (!host_hear(line, "dc_ok", &message, why)) {
        turn_away(match, team, "%s", why);
        return true;
    }
    const char *name = json_string_value(json_object_get(message, "name"));
    if (!name || (seat->word[0] && strcmp(name, seat->word) != 0)) {
        turn_away(match, team, "%s",
                  name ? "somebody else came to the seat of our player"
                       : "dc_ok/name: must be a text");
        json_decref(message);
        return true;
    }
    if (seat->word[0])
        name = match->hosted.setting->player[team];
    if (!utf8_read_name(name, sizeof seat->name, seat->name)) {
        json_decref(message);
        return host_game_end(&match->hosted, SESSION_FAILED, "out of memory");
    }
    memcpy(match->hosted.teams[team], seat->name, sizeof seat->name);
    json_object_set_new(message, "name", json_string(seat->name));
    keep(seat, message, HOST_AWAITS_ORDER);
    return say(match, team, host_is_ready(match->hosted.setting, team));
}

static void hear_order(struct match *match, int team, const char *line)
{
    char why[HOST_WHY_MAX];
    json_t *message;

    if (!host_hear(line, "ready_ok", &message, why)) {
        turn_away(match, team, "%s", why);
    } else if (!host_read_order(message, why)) {
        turn_away(match, team, "%s", why);
        json_decref(message);
    } else {
        keep(&match->seats[team], message, HOST_READY);
    }
}

/* Whoever connects and says nothing makes room for the next. */
static void drop_silent(struct match *match, double now_s)
{
    for (int team = 0; team < 2; team++) {
        const struct host_seat *seat = &match->seats[team];
        if (seat->stage == HOST_AWAITS_NAME && now_s >= seat->since_s + NAME_S)
            turn_away(match, team, "said no name within %g s", NAME_S);
        else if (seat->stage == HOST_AWAITS_ORDER && now_s >= seat->since_s + ORDER_S)
            turn_away(match, team, "said no order of its players within %g s", ORDER_S);
    }
}

/* Nobody plays for a team; what went wrong with who came to its seat says why. */
static bool blame_absent(struct match *match, int team, enum session_end end, const char *what)
{
    const struct host_seat *seat = &match->seats[team];

    return host_game_blame(&match->hosted, team, end, "%steam%d %s%s%.200s",
                           end == SESSION_FAILED ? "the player of " : "", team, what,
                           seat->fault[0] ? "; whoever came last: " : "", seat->fault);
}

/* A player of ours that cannot play ends the game at once. */
static bool check_players(struct match *match)
{
    for (int team = 0; team < 2; team++) {
        struct host_seat *seat = &match->seats[team];
        if (seat->player > 0 && waitpid(seat->player, NULL, WNOHANG) == seat->player) {
            seat->player = 0;
            return blame_absent(match, team, SESSION_FAILED, "ended before the game");
        }
    }
    return true;
}

static bool hear_before(struct match *match, enum event event, int team, const char *line)
{
    const enum host_stage stage = team < 2 ? match->seats[team].stage : HOST_EMPTY;

    if (event == HEARD_STOP)
        return host_game_end(&match->hosted, SESSION_STOPPED, "stopped before the game began");
    if (event == HEARD_LINE && stage == HOST_AWAITS_NAME)
        return hear_name(match, team, line);
    if (event == HEARD_LINE && stage == HOST_AWAITS_ORDER)
        hear_order(match, team, line);
    else if (event == HEARD_LINE)
        turn_away(match, team, "spoke before the game began");
    else if (event == HEARD_LONG)
        turn_away(match, team, "said a line of more than %d bytes", HOST_LINE_MAX);
    else if (event == HEARD_END)
        turn_away(match, team, "hung up before the game");
    return true;
}

static bool is_ready(const struct match *match)
{
    return match->seats[0].stage == HOST_READY && match->seats[1].stage == HOST_READY;
}

static bool greet(struct match *match)
{
    const struct host_setting *setting = match->hosted.setting;
    double start_s = clock_now_s();

    while (!is_ready(match)) {
        double now_s = clock_now_s();
        int team, late;
        char *line = NULL;
        for (late = 0; late < 2; late++)
            if (match->seats[late].stage != HOST_READY &&
                now_s >= start_s + host_wait_s(setting, late)) {
                char what[64];
                snprintf(what, sizeof what, "was not ready within %d s",
                         host_wait_s(setting, late));
                return blame_absent(match, late, SESSION_SILENT, what);
            }
        enum event event = await(match, now_s + TICK_MS / 1000.0, &team, &line);
        if (!hear_before(match, event, team, line) || !check_players(match))
            return false;
        drop_silent(match, now_s);
    }
    match->has_begun = true;
    for (int what = 0; what < 2; what++)
        for (int team = 0; team < 2; team++) {
            host_log_say(&match->hosted.log, match->seats[team].said[what], team);
            match->seats[team].said[what] = NULL;
        }
    host_log_say(&match->hosted.log, host_is_ready(match->hosted.setting, -1), -1);
    host_log_say(&match->hosted.log, host_new_game(match->seats), -1);
    return say(match, 0, host_new_game(match->seats)) && say(match, 1, host_new_game(match->seats));
}

/* ---- the game ---- */

/* Tells both where the game stands; the one to move hears it last, as its clock runs from then on.
 */
static bool tell(struct match *match, const struct host_move *move)
{
    int next = game_next_team(&match->hosted.game), last = next < 0 ? 1 : next;
    bool with_path = match->hosted.setting->sends_trajectory;

    host_game_show(&match->hosted);
    host_log_say(&match->hosted.log,
                 host_update(&match->hosted.game, match->hosted.left_s, move, false), -1);
    bool good =
        say(match, 1 - last,
            host_update(&match->hosted.game, match->hosted.left_s, move, with_path)) &&
        say(match, last, host_update(&match->hosted.game, match->hosted.left_s, move, with_path));
    /* After the end of the game a client may have hung up. */
    return good || host_game_is_over(&match->hosted);
}

/* Waits for the move of a team. False: the game has ended without one. */
static bool hear_move(struct match *match, int mover, struct host_move *ret_move)
{
    double start_s = clock_now_s();
    int team;
    char *line = NULL, why[HOST_WHY_MAX];
    json_t *message;
    enum event event = await(match, start_s + match->hosted.left_s[mover], &team, &line);
    double elapsed_s = clock_now_s() - start_s;

    *ret_move = (struct host_move){.late = elapsed_s >= match->hosted.left_s[mover]};
    match->hosted.left_s[mover] = fmax(match->hosted.left_s[mover] - elapsed_s, 0.0);
    if (event == HEARD_STOP)
        return host_game_end(&match->hosted, SESSION_STOPPED, "stopped during the game");
    if (event == HEARD_END)
        return host_game_blame(&match->hosted, team, SESSION_CLOSED,
                               "team%d hung up during the game", team);
    if (event == HEARD_LONG)
        return host_game_blame(&match->hosted, team, SESSION_BROKEN,
                               "team%d said a line of more than %d bytes", team, HOST_LINE_MAX);
    if (event == HEARD_LINE && team != mover)
        return host_game_blame(&match->hosted, team, SESSION_BROKEN,
                               "team%d spoke while team%d was to move", team, mover);
    if (event == HEARD_NOTHING || ret_move->late) {
        ret_move->late = true;
        return true;
    }
    if (!host_hear(line, "move", &message, why))
        return host_game_blame(&match->hosted, mover, SESSION_BROKEN, "team%d %.280s", mover, why);
    bool good = host_read_move(message, ret_move, why);
    host_log_say(&match->hosted.log, message, mover);
    return good ||
           host_game_blame(&match->hosted, mover, SESSION_BROKEN, "team%d: %.280s", mover, why);
}

/* Gives the team's game away. */
static void give_up(struct match *match, const struct host_move *move, int mover)
{
    game_concede(&match->hosted.game, mover);
    if (move->late)
        match->hosted.game.result.reason = GAME_WON_BY_TIME;
    match->hosted.record.conceded = !move->late;
}

/* Notes a finished end, and gives both the time of an extra end. */
static void finish_end(struct match *match, const struct game *before)
{
    const struct game *game = &match->hosted.game;

    host_game_note_end(&match->hosted, before);
    if (game->result.reason == GAME_RUNNING && game->end >= game->ends)
        match->hosted.left_s[0] = match->hosted.left_s[1] = match->hosted.setting->extra_end_time_s;
}

static bool play_shot(struct match *match, struct trajectory *path)
{
    const struct game before = match->hosted.game;
    int mover = game_next_team(&before);
    double left_s = match->hosted.left_s[mover];
    struct host_move move;
    struct game_turn turn = {.offended = -1};

    if (!hear_move(match, mover, &move))
        return false;
    double elapsed_s = left_s - match->hosted.left_s[mover];
    if (move.conceded || move.late)
        give_up(match, &move, mover);
    else if (!host_game_throw(&match->hosted, &move, path, &turn))
        return false;
    match->hosted.shots++;
    if (turn.end_finished)
        finish_end(match, &before);
    host_log_shot(&match->hosted.log, match->hosted.setting, &before, &move);
    host_log_record(&match->hosted.log, &before, &move, &turn, elapsed_s, match->hosted.names);
    return tell(match, &move);
}

static bool play(struct match *match)
{
    const struct host_setting *setting = match->hosted.setting;
    struct trajectory path;
    bool good;

    host_game_name(&match->hosted);
    game_start(&setting->profile->rules, setting->ends, setting->extra_ends, 1,
               &match->hosted.game);
    trajectory_init(&path, FRAME_S);
    good = tell(match, NULL);
    while (good && !host_game_is_over(&match->hosted))
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
    host_log_say(&match->hosted.log, json_pack("{s:s}", "cmd", "game_over"), -1);
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

static bool open_seats(struct match *match)
{
    const struct host_setting *setting = match->hosted.setting;
    char why[HOST_WHY_MAX];

    for (int team = 0; team < 2; team++)
        match->seats[team] = (struct host_seat){.listener = -1, .fd = -1};
    for (int team = 0; team < 2; team++)
        if (!seat_open(&match->seats[team],
                       setting->player[team] || setting->program[team] ? "127.0.0.1"
                                                                       : setting->listen,
                       setting->port[team], why))
            return host_game_end(&match->hosted, SESSION_FAILED, "%s", why);
    for (int team = 0; team < 2; team++)
        match->hosted.ports[team] = match->seats[team].port;
    if (!host_log_open(&match->hosted.log, setting))
        return host_game_end(&match->hosted, SESSION_FAILED, "%.200s: %s", setting->folder,
                             errno == EEXIST ? "another game is there" : strerror(errno));
    host_log_say(&match->hosted.log, host_dc(match->hosted.log.id, match->hosted.log.when), -1);
    host_game_show(&match->hosted);
    for (int team = 0; team < 2; team++)
        if ((setting->player[team] || setting->program[team]) &&
            !seat_start(&match->seats[team], setting, team, why))
            return host_game_end(&match->hosted, SESSION_FAILED, "%s", why);
    return true;
}

static void host(struct match *match, host_opened *opened)
{
    if (!open_seats(match))
        return;
    opened(&match->hosted);
    if (!greet(match) || !play(match))
        return;
    host_game_finish(&match->hosted);
}

json_t *host_run(const struct host_setting *setting, host_opened *opened,
                 struct host_ending *ret_ending)
{
    struct match *match;

    if (setting->protocol == &protocol_dc4)
        return host_run_dc4(setting, opened, ret_ending);
    match = calloc(1, sizeof *match);
    if (!match)
        return NULL;
    match->hosted.setting = setting;
    match->hosted.end = SESSION_FAILED;
    match->hosted.blamed = -1;
    host_game_name(&match->hosted);
    host(match, opened);
    if (match->hosted.end == SESSION_OVER) {
        take_leave(match);
        match->hosted.end = SESSION_OVER; /* whoever was gone by then has played to the end */
        match->hosted.why[0] = '\0';
        match->hosted.blamed = -1;
    }
    host_log_close(&match->hosted.log);
    json_t *result = host_game_result(&match->hosted);
    *ret_ending = (struct host_ending){match->hosted.end, match->hosted.blamed, match->has_begun,
                                       match->hosted.record};
    for (int team = 0; team < 2; team++)
        seat_close(&match->seats[team]);
    free(match);
    return result;
}
