/* A simulated server of Digital Curling 3. */
#ifndef RINKD_TESTS_PROGRAMS_DC3_HOST_H
#define RINKD_TESTS_PROGRAMS_DC3_HOST_H

#include "tests/programs/compete_peer.h"

/* Recorded lines. */
#define DC                                                                                  \
    "{\"cmd\":\"dc\",\"date_time\":\"2026-11-20T08:43:27+00:00\",\"game_id\":\"79abb356\"," \
    "\"version\":{\"major\":1,\"minor\":0}}"
#define HAND                                                       \
    "{\"max_speed\":4.0,\"stddev_angle\":0.0018,\"stddev_speed\":" \
    "0.0076,\"type\":\"normal_dist\"}"
#define IDENTICAL "{\"type\":\"identical\"}"
#define IS_READY_OF(rule, width, simulator)                                                 \
    "{\"cmd\":\"is_ready\",\"game\":{\"players\":{\"team0\":[" HAND "," IDENTICAL "," HAND  \
    "," HAND "],\"team1\":[" HAND "," HAND "," IDENTICAL "," HAND "]},\"rule\":\"" rule     \
    "\",\"setting\":{\"extra_end_thinking_time\":{\"team0\":10,\"team1\":10},"              \
    "\"five_rock_rule\":true,\"max_end\":2,\"sheet_width\":" width                          \
    ",\"thinking_time\":{\"team0\":60,\"team1\":60}},\"simulator\":{\"seconds_per_frame\":" \
    "0.001,\"type\":\"" simulator "\"}},\"team\":\"team0\"}"
#define IS_READY IS_READY_OF("normal", "4.75", "fcv1")
#define NEW_GAME "{\"cmd\":\"new_game\",\"name\":{\"team0\":\"rink\",\"team1\":\"rulebased\"}}"
#define NULLS    "null,null,null,null,null,null,null,null"
#define UPDATE_OF(next, shot, result, stones)                                            \
    "{\"cmd\":\"update\",\"last_move\":null,\"next_team\":" next                         \
    ",\"state\":{\"end\":0,\"extra_end_score\":{\"team0\":null,\"team1\":null},"         \
    "\"game_result\":" result ",\"hammer\":\"team1\",\"scores\":{\"team0\":[null,null]," \
    "\"team1\":[null,null]},\"shot\":" shot ",\"stones\":{\"team0\":[" stones            \
    "],\"team1\":[" NULLS "]},\"thinking_time_remaining\":{\"team0\":60.0,\"team1\":60.0}}}"
#define UPDATE UPDATE_OF("\"team0\"", "0", "null", NULLS)

struct dc3_host {
    struct game game;
    const struct ice_profile *ice;
    int us; /* the team of the program */
    double clock_s;
    /* Called after each update with the number of shots thrown so far; NULL: nobody. */
    void (*watch)(void *context, int thrown);
    void *context;
};

/* Says the lines up to new_game and checks the answers. */
void dc3_greet(struct peer *peer);

/* Plays a game as the server does, up to game_over, and returns the number of the program's shots.
 */
int dc3_host_game(struct peer *peer, struct dc3_host *host);

#endif
