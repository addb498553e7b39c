/* Records of matches: JSON Lines that a worker writes while it plays (rink-evaluate(1)), and that
 * it and the service read back. A file begins with a header; then come pairs in the order of their
 * numbers, each behind the shots of its two games:
 *
 *   {"record":"header","version":1,"players":[SPEC,…], the setting …}
 *   {"record":"shot","pairing":[0,1],"pair":7,"game":0, the shot …}
 *   {"record":"pair","pairing":[0,1],"pair":7,"games":[GAME,GAME],"effort":[…]}
 *
 * "pairing" holds the two players by their numbers in the header, "pair" its number among theirs.
 */
#ifndef RINKD_API_MATCH_RECORD_H
#define RINKD_API_MATCH_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MATCH_RECORDS_FILE "records.jsonl" /* in the folder of a job */

/* What every header begins with. */
#define MATCH_RECORD_HEADER "{\"record\":\"header\""

/* ---- which line ---- */

enum match_record_kind { MATCH_RECORD_SHOT, MATCH_RECORD_PAIR };

/* Which pair. */
struct record_name {
    int first, second; /* the players, numbers of the header */
    int64_t pair;
};

struct match_record_line {
    enum match_record_kind kind;
    struct record_name name;
    int game; /* of a shot: 0 or 1 */
};

/* The beginning of a line, up to a comma; its other members and "}\n" follow. */
void match_record_begin(FILE *out, const struct match_record_line *line);
/* Reads that beginning alone. False: it is no shot and no pair. */
bool match_record_read(const char *text, struct match_record_line *ret_line);

/* ---- pairs ---- */

enum { PAIR_ENDS_MAX = 10, PAIR_EXTRA_ENDS_MAX = 10 };

/* One game as player 0 of the pair sees it. */
struct pair_game {
    int ends; /* that were finished, extra ends too */
    struct {
        int8_t score; /* points of player 0, negative: of player 1 */
        bool hammer;  /* player 0 had the hammer, i.e. sat in gote */
    } end[PAIR_ENDS_MAX + PAIR_EXTRA_ENDS_MAX];
    int half_points; /* of player 0: 2 a win, 1 a draw, 0 a loss */
    bool conceded;
};

/* What a player's moves cost. */
struct pair_effort {
    int64_t moves, simulations;
    double cpu_s;     /* processor time of the thread that asked */
    double elapsed_s; /* wall time */
};

/* Game 0 is begun by player 0, game 1 by player 1; the other has the hammer of the first end. */
struct pair_result {
    struct pair_game game[2];
    struct pair_effort effort[2]; /* of each player, both games together */
};

/* The whole line. */
void match_record_write_pair(FILE *out, const struct record_name *name,
                             const struct pair_result *result);
/* Reads the line of a pair (`length` bytes, with or without the newline). False if it is not such a
 * line; the outputs are then untouched. */
bool match_record_read_pair(const char *line, size_t length, struct record_name *ret_name,
                            struct pair_result *ret_result);

/* {"half_points","conceded","ends":[{"score","hammer"},…]}, of the caller; NULL: memory is short.
 */
json_t *pair_game_json(const struct pair_game *game);

/* ---- headers ---- */

/* The number of a player in a header from `from` on; -1: absent. The header has specs; `player` is
 * a spec, behind which a blank and the limits of a move may follow. */
int match_record_player(const json_t *header, const char *player, int from);

#endif
