/* A hosted match of Digital Curling 4: what dc4_match.c and dc4_words.c share. */
#ifndef RINKD_WORKERS_COMPETE_HOST_DC4_H
#define RINKD_WORKERS_COMPETE_HOST_DC4_H

#include "workers/compete/host/host.h"
#include "workers/compete/host/host_web.h"
#include "workers/compete/situation.h"

/* Who may speak for a team: whoever sends its configuration first. */
struct dc4_seat {
    bool is_taken;
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
/* An event of a stream; malloc'ed. */
char *dc4_event(const json_t *state, bool is_latest);
/* {"detail":…}; malloc'ed. */
char *dc4_detail(const char *text);

/* Reads what clients send. False, with a sentence. */
bool dc4_read_shot(json_t *body, struct shot *ret_shot, char ret_why[HOST_WHY_MAX]);
bool dc4_read_team(json_t *body, char ret_name[HOST_NAME_MAX], char ret_why[HOST_WHY_MAX]);
json_t *dc4_shot_json(const struct shot *shot, bool as_asked);

#endif
