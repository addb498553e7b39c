/* A host of Digital Curling 3 or 4: one game between two clients, with the clocks, the noise, the
 * fouls and the logs of the official servers.
 *
 *   dc3: clients ──► host_seat ──► host_match ──► host_words ──► clients      a port for each team
 *   dc4: clients ──► host_web  ──► dc4_match  ──► dc4_words  ──► clients      HTTP on one port
 *                                      └──► host_game: throws, fouls, clocks, result
 *                                      └──► host_log: game.dcl2, shot_*.json or game.dc4.jsonl,
 *                                                     records.jsonl, state.json
 *
 * A game is a process of its own (rink-compete host), so it needs nobody to go on. */
#ifndef RINKD_WORKERS_COMPETE_HOST_HOST_H
#define RINKD_WORKERS_COMPETE_HOST_HOST_H

#include "api/jobs/wire.h"
#include "models/game/game.h"
#include "models/ice/noise.h"
#include "models/ice/throw.h"
#include "workers/compete/host/external.h"
#include "workers/compete/recorder.h"

#include <jansson.h>
#include <stdatomic.h>
#include <sys/types.h>

enum { HOST_NAME_MAX = TALK_NAME_MAX, HOST_WHY_MAX = 320 };

struct host_setting {
    const struct protocol *protocol;   /* protocol_dc3 or protocol_dc4 */
    const char *listen;                /* address; dc3: seats of our own players are on 127.0.0.1 */
    int port[2];                       /* 0: any free one; dc4 has the first alone */
    const char *player[2];             /* spec of a player of ours; NULL: a client comes */
    const struct external *program[2]; /* a program that is started as this client; NULL: none */
    const char *folder;                /* for the logs; it exists */
    const struct profile *profile;
    throw_engine *engine;
    struct noise noise;
    int ends, extra_ends;
    double time_s, extra_end_time_s; /* dc3: of each extra end; dc4: of all together */
    int pattern;                     /* of the placed stones in mixed doubles */
    bool sends_trajectory;
    int wait_s; /* for both clients to be ready */
    int threads;
    uint64_t seed;
    const atomic_bool *cancel;
    const struct host_place *place; /* NULL: a game by itself, with records of its own */
};

/* Seconds in which a team has to be ready. */
static inline int host_wait_s(const struct host_setting *setting, int team)
{
    return setting->program[team] ? (int)setting->program[team]->start_s : setting->wait_s;
}

/* The place of a game in a match of others, whose file takes its shots. */
struct host_place {
    FILE *records;
    int64_t pair;
    int game; /* 0 or 1: then player 0 is team1 */
};

/* A random UUID (RFC 9562, version 4): host_log.c. */
void host_make_id(char ret_id[40]);

/* ---- host_seat.c: a team's port and connection ---- */

enum host_stage { HOST_EMPTY, HOST_AWAITS_NAME, HOST_AWAITS_ORDER, HOST_READY };

struct host_seat {
    int listener, fd, port;
    enum host_stage stage;
    double since_s;           /* of the stage, clock_now_s() */
    json_t *said[2];          /* name and order, for the log of the game */
    char fault[HOST_WHY_MAX]; /* why the last connection was closed before the game; "": none was */
    char *bytes;              /* of lines not yet read */
    size_t used, read;
    pid_t player;  /* of ours; 0: none, or it has ended */
    char word[40]; /* that our player says in place of its name, so that nobody takes its seat */
    char name[HOST_NAME_MAX];
};

enum { HOST_LINE_MAX = 64 << 10 };

/* Listens. False, with a sentence. */
bool seat_open(struct host_seat *seat, const char *address, int port, char ret_why[HOST_WHY_MAX]);
/* Starts a player of ours, which plays as a client. False, with a sentence. */
bool seat_start(struct host_seat *seat, const struct host_setting *setting, int team,
                char ret_why[HOST_WHY_MAX]);
/* Starts a process that dies with this one; argv ends with NULL. 0, with a sentence: it cannot be
 * started. */
pid_t seat_spawn(const char *const *argv, int team, char ret_why[HOST_WHY_MAX]);
/* Ends such a process, or that of a program with all that it has started. */
void seat_kill(pid_t *process);
/* Takes a client that waits; another one stays in the queue. */
void seat_accept(struct host_seat *seat);
/* Reads what is there. False: the connection has ended. */
bool seat_fill(struct host_seat *seat);
/* The next line, with its end cut off. NULL: none is whole. *ret_too_long: it never will be. */
char *seat_line(struct host_seat *seat, bool *ret_too_long);
/* Sends a line in one piece; false if the client does not take it in time. */
bool seat_say(struct host_seat *seat, const char *line);
/* Empties the seat for the next client. */
void seat_drop(struct host_seat *seat);
/* Ends the connection and our player. */
void seat_close(struct host_seat *seat);

/* ---- host_words.c: what the server says; the caller owns the JSON, NULL: out of memory ---- */

struct host_move {
    bool conceded, late;          /* late: the time was over, which looks like a concession */
    struct shot selected, actual; /* else */
    bool foul;
    const struct trajectory *path;
    struct position before, after; /* all stones; after the throw and a foul's restoration */
    bool team0_has_hammer;
    int stone;
};

json_t *host_dc(const char *id, const char *when);
json_t *host_is_ready(const struct host_setting *setting, int team);
json_t *host_new_game(const struct host_seat seats[2]);
/* `move` NULL: the first update. */
json_t *host_update(const struct game *game, const double left_s[2], const struct host_move *move,
                    bool with_path);
json_t *host_shot_json(const struct shot *shot);
json_t *host_move_json(const struct host_move *move, bool actual);
json_t *host_trajectory(const struct host_move *move);

/* Reads a client's message into *ret_cmd, an object that the caller owns. False, with a sentence.
 */
bool host_hear(const char *line, const char *cmd, json_t **ret_message, char ret_why[HOST_WHY_MAX]);
bool host_read_order(json_t *message, char ret_why[HOST_WHY_MAX]);
bool host_read_move(json_t *message, struct host_move *ret_move, char ret_why[HOST_WHY_MAX]);

/* ---- host_log.c: files in the folder ---- */

#define HOST_DC4_FILE "game.dc4.jsonl" /* dc4: all that was said; such a game can go on */

#define HOST_LOCK_FILE   WIRE_LOCK_FILE
#define HOST_STATE_FILE  "state.json"
#define HOST_RESULT_FILE "result.json"
#define HOST_GAME_FILE   "game.dcl2"

struct host_log {
    const char *folder;
    const char *protocol; /* its name */
    FILE *game, *records;
    const struct host_place *place;
    int lines;
    char id[40], when[32]; /* of the game */
    bool has_header;
};

/* The time as the official server writes it. */
void host_when(char ret_text[32]);
/* Creates the files; with a place there are none for records and shots. False: see errno; EEXIST:
 * another game is there. */
bool host_log_open(struct host_log *log, const struct host_setting *setting);
/* Opens the files of a game of dc4 that was broken off; its records are written anew. Its lines go
 * to *ret_lines, which the caller owns; a last line that is not whole is cut off. False: see errno.
 */
bool host_log_reopen(struct host_log *log, const char *folder, json_t **ret_lines);
/* A line of game.dc4.jsonl: {"date_time","event",EVENT's value}. Takes ownership. */
void host_log_event(struct host_log *log, const char *event, json_t *value);
void host_log_close(struct host_log *log);
/* A line of game.dcl2; `team` < 0: of nobody. Takes ownership. */
void host_log_say(struct host_log *log, json_t *message, int team);
void host_log_shot(struct host_log *log, const struct host_setting *setting,
                   const struct game *before, const struct host_move *move);
/* Records, as those of other games (api/curling/match_record.h); `names` of the players. */
void host_log_record(struct host_log *log, const struct game *before, const struct host_move *move,
                     const struct game_turn *turn, double elapsed_s,
                     char names[2][RECORDER_NAME_MAX]);
void host_log_result(struct host_log *log, const struct pair_game *game);
/* Writes a file whole or not at all, durably with `sync`. Takes ownership. False: see errno. */
bool host_write(const char *folder, const char *name, json_t *value, bool sync);

/* ---- host_game.c: a game under way, of either protocol ---- */

struct host_game {
    const struct host_setting *setting;
    struct host_log log;
    char teams[2][HOST_NAME_MAX];     /* as they call themselves */
    char names[2][RECORDER_NAME_MAX]; /* as players */
    int ports[2];                     /* of dc4 the first alone */
    struct game game;
    double left_s[2];
    struct pair_game record; /* as team0 sees it */
    int shots;
    enum session_end end;
    char why[HOST_WHY_MAX]; /* "": nothing has ended it yet */
    int blamed;             /* the team that ended it by a fault; -1: none */
};

/* Ends the game; the first reason counts. Returns false. */
bool host_game_end(struct host_game *hosted, enum session_end end, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, by a fault of a team. */
bool host_game_blame(struct host_game *hosted, int team, enum session_end end, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));
/* Names the teams as players, and sets their clocks. */
void host_game_name(struct host_game *hosted);
bool host_game_is_over(const struct host_game *hosted);
/* Throws move->selected with the error of the hand, plays it, and fills the rest of the move.
 * False: the game has ended, as the stone cannot be thrown. */
bool host_game_throw(struct host_game *hosted, struct host_move *move, struct trajectory *path,
                     struct game_turn *ret_turn);
/* Notes the end that `before` was in, which is finished. */
void host_game_note_end(struct host_game *hosted, const struct game *before);
/* Notes the winner of a game that was played to its end, and writes its last record. */
void host_game_finish(struct host_game *hosted);
/* Writes how the game stands for those who watch it. */
void host_game_show(const struct host_game *hosted);
/* What the service keeps of it; the caller owns it. */
json_t *host_game_result(const struct host_game *hosted);

/* ---- host_match.c ---- */

/* Locks the folder for this process. False, with a sentence. The lock lasts as long as it. */
bool host_lock(const char *folder, char ret_why[HOST_WHY_MAX]);
/* The process that hosts a game in this folder; 0: none. */
pid_t host_locked_by(const char *folder);

/* How a game ended, for those who host it as a part of something else. */
struct host_ending {
    enum session_end end;
    int blamed;            /* the team whose fault ended it; -1: none */
    bool has_begun;        /* both teams were ready */
    struct pair_game game; /* as team0 sees it, where it was played to its end or given away */
};

/* Told once clients can connect. */
typedef void host_opened(const struct host_game *hosted);

/* Hosts a game to its end, and returns the result, which the caller owns. NULL: out of memory. A
 * game of dc4 that was broken off in this folder goes on (dc4_match.c). */
json_t *host_run(const struct host_setting *setting, host_opened *opened,
                 struct host_ending *ret_ending);
json_t *host_run_dc4(const struct host_setting *setting, host_opened *opened,
                     struct host_ending *ret_ending);

#endif
