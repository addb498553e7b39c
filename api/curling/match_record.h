/* Records of matches: JSON Lines that a worker writes while it plays (rink-evaluate(1)); the worker
 * and the service read them back. A file begins with a header; pairs follow in the order of their
 * numbers, each after the shots of its two games:
 *
 *   {"record":"header","version":1,"players":[SPEC,…], the setting …}
 *   {"record":"shot","pairing":[0,1],"pair":7,"game":0, the shot …}
 *   {"record":"pair","pairing":[0,1],"pair":7,"games":[GAME,GAME],"effort":[…]}
 *
 * "pairing" holds the numbers of the two players in the header, "pair" counts the pairs of a
 * pairing. */
#ifndef RINKD_API_CURLING_MATCH_RECORD_H
#define RINKD_API_CURLING_MATCH_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MATCH_RECORDS_FILE "records.jsonl" /* in the folder of a job */

/* Every header begins with this. */
#define MATCH_RECORD_HEADER "{\"record\":\"header\""

/* ---- beginnings of lines ---- */

enum match_record_kind { MATCH_RECORD_SHOT, MATCH_RECORD_PAIR };

/* Identifies a pair. */
struct record_name {
    int first, second; /* players, by their numbers in the header */
    int64_t pair;
};

struct match_record_line {
    enum match_record_kind kind;
    struct record_name name;
    int game; /* of a shot: 0 or 1 */
};

/* Writes the beginning of a line, up to a comma; the caller adds the other members and "}\n". */
void match_record_begin(FILE *out, const struct match_record_line *line);
/* Reads that beginning alone. False: neither a shot nor a pair. */
bool match_record_read(const char *text, struct match_record_line *ret_line);

/* ---- pairs ---- */

enum { PAIR_ENDS_MAX = 10, PAIR_EXTRA_ENDS_MAX = 10 };
/* The length of a game by default; macros, for QUOTED(). */
#define PAIR_ENDS       2
#define PAIR_EXTRA_ENDS 0

/* What the luck that both games of a pair share belongs to (workers/evaluate/play/pair.h), and the
 * names of these ways; the first is the default. */
enum job_luck_by { JOB_LUCK_BY_HAMMER, JOB_LUCK_BY_SEAT };
extern const char *const job_luck_by[]; /* NULL at the end */
#define JOB_LUCK_BY_BEFORE "seat"       /* of jobs that do not say it */
#define JOB_LUCK_BY_ABOUT                                                                    \
    "what the luck that both games share belongs to: hammer: the place in the game and the " \
    "team with the hammer; seat: the place alone, as in matches of earlier versions, whose " \
    "intervals are wider"

/* The reason of a result, beside those of models/game/game.h, of a game that has none. */
#define GAME_BROKEN_OFF "broken_off"

enum { LUCK_THROWS_MAX = 512 }; /* that measure the luck of a throw */

/* The luck of the hands in a game: for each throw the value of the position that it left minus the
 * mean over errors of the hand, added up; positive: player 0 was lucky. */
struct pair_luck {
    double win;    /* in chances of winning the game */
    double points; /* in points */
};

/* One game as player 0 of the pair sees it. */
struct pair_game {
    int ends; /* finished ends, extra ends included */
    struct {
        int8_t score; /* positive: points of player 0, negative: of player 1 */
        bool hammer;  /* player 0 had the hammer, i.e. sat in gote */
    } end[PAIR_ENDS_MAX + PAIR_EXTRA_ENDS_MAX];
    int half_points;    /* of player 0: 2 a win, 1 a draw, 0 a loss */
    bool is_broken_off; /* it has no result: half_points are null in records, 1 here */
    bool conceded;
    bool is_missing; /* it was not played, as the twin of a game on somebody's server: null */
    bool has_luck;   /* its luck was measured; records leave it out otherwise */
    struct pair_luck luck;
};

/* Cost of a player's moves. */
struct pair_effort {
    int64_t moves, simulations;
    double cpu_s;     /* processor time of the thread that asked */
    double elapsed_s; /* wall time */
};

/* Player 0 begins game 0, player 1 game 1; the other player has the hammer in the first end. */
struct pair_result {
    struct pair_game game[2];
    struct pair_effort effort[2]; /* of each player, both games together */
};

/* Writes the whole line of a pair. */
void match_record_write_pair(FILE *out, const struct record_name *name,
                             const struct pair_result *result);
/* Reads the line of a pair (`length` bytes, with or without the newline). For any other
 * line returns false and leaves the outputs untouched. */
bool match_record_read_pair(const char *line, size_t length, struct record_name *ret_name,
                            struct pair_result *ret_result);

/* {"half_points","conceded","ends":[{"score","hammer"},…]} and, if it was measured,
 * "luck":{"win","points"}. The caller owns it; NULL when memory is
 * short. */
json_t *pair_game_json(const struct pair_game *game);
/* Reads what pair_game_json() gives, or null: the game is missing. False: it is neither. */
bool pair_game_read(json_t *root, struct pair_game *ret_game);
/* The same game as the other player sees it. */
struct pair_game pair_game_turned(struct pair_game game);

/* ---- headers ---- */

/* Number of a player in a header, searched from `from` on; -1: absent. The header lists specs;
 * `player` is a spec, optionally followed by a blank and the limits of a move. */
int match_record_player(const json_t *header, const char *player, int from);

#endif
