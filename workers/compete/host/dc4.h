/* A hosted match of Digital Curling 4. Requests (dc4_requests.c) make turns (dc4_turns.c), whose
 * states all are told in the words of the official server (dc4_words.c); dc4_match.c leads it from
 * the first request to the result, with players of its own where no client comes (dc4_players.c).
 */
#ifndef RINKD_WORKERS_COMPETE_HOST_DC4_H
#define RINKD_WORKERS_COMPETE_HOST_DC4_H

#include "workers/compete/host/host.h"
#include "workers/compete/host/host_web.h"
#include "workers/compete/situation.h"

/* Who may speak for a team: whoever sends its configuration first, and opens its stream. */
struct dc4_seat {
    bool is_taken;
    double seen_s; /* clock_now_s() when its user was last here */
    char user[HOST_USER_MAX + 1], password[HOST_USER_MAX + 1];
    bool has_password; /* false after a restart: the next request of the user brings it */
    json_t *config;    /* as it was sent */
    pid_t player;      /* of ours; 0: none, or it has ended */
    char word[40];     /* user and password of our player; "": a client comes */
};

enum dc4_period { DC4_ENDS, DC4_EXTRA_ENDS, DC4_PERIODS };

struct dc4_match {
    struct host_setting setting; /* of `hosted` */
    struct host_game hosted;
    struct web_host *web;
    struct dc4_seat seats[2];
    bool is_repeated; /* the log of a broken off match is being read: nothing is written */
    bool is_begun;    /* both teams came */
    bool is_mixed, awaits_setup;
    int chooser;                    /* of the setup */
    int power_end[2];               /* in which the power play was used, -1: it was not */
    double clock_s[DC4_PERIODS][2]; /* left; one clock for all extra ends together */
    double asked_s;                 /* clock_now_s() of the newest state */
    bool has_last;
    struct shot last; /* as it left the hand */
    json_t *states;   /* all that were told, in order */
};

/* Who listens to states: each team, and everybody else. */
enum { DC4_VIEWER = 2, DC4_OWNERS };

/* What a state shows. */
struct dc4_board {
    const struct game *game; /* end, stones, scores */
    int total;               /* shots of the end; -1: a setup is awaited */
    int next, winner;        /* teams; -1: none */
};

/* The JSON that the official server gives; the caller owns it. NULL: out of memory. */
json_t *dc4_match_json(const struct dc4_match *match);
json_t *dc4_state_json(const struct dc4_match *match, const struct dc4_board *board);
json_t *dc4_score_json(const struct game *game);
/* A state for who asks for the latest one: with the ids of the teams, as the official server tells
 * it, beside their names, which the stream has. */
json_t *dc4_asked_json(const json_t *state);
/* An event of a stream; malloc'ed. */
char *dc4_event(const json_t *state, bool is_latest);
/* {"detail":…}; malloc'ed. */
char *dc4_detail(const char *text);

/* Reads what clients send. False, with a sentence. */
bool dc4_read_shot(json_t *body, struct shot *ret_shot, char ret_why[HOST_WHY_MAX]);
bool dc4_read_team(json_t *body, char ret_name[HOST_NAME_MAX], char ret_why[HOST_WHY_MAX]);
json_t *dc4_shot_json(const struct shot *shot, bool as_asked);

/* What the teams do; each tells everybody the new state and notes it in the log, and a failure ends
 * `hosted`. Both teams have come: */
void dc4_begin(struct dc4_match *match);
/* Gives the user a team; `config` is what it sent, `name` what it calls itself. */
void dc4_take_seat(struct dc4_match *match, int team, const char *user, json_t *config,
                   const char *name);
/* The team that may choose begins the end so. */
void dc4_set_up(struct dc4_match *match, enum setup setup);
/* The team to move throws, so many seconds after it was asked. */
void dc4_throw(struct dc4_match *match, const struct shot *shot, double elapsed_s);
/* The team's time is over. */
void dc4_run_out(struct dc4_match *match, int mover);
/* Seconds that the team to move has from the newest state on. There must be one. */
double dc4_left_s(const struct dc4_match *match);

/* Answers a request; `context` is the match (web_host_open()). */
void dc4_answer(void *context, const struct web_asked *asked, struct web_told *told);

/* Starts the players of ours and the programs that the setting names. False: `hosted` says why. */
bool dc4_start_players(struct dc4_match *match);
/* Before the match a player that has ended is told; later its clock runs out, and a program that
 * ends ends the match. */
void dc4_look_after_players(struct dc4_match *match);
/* Kills those that are left, and forgets their passwords and the configurations of all. */
void dc4_end_players(struct dc4_match *match);

#endif
