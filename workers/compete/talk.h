/* Our side of a conversation with a server. A protocol is one file: it reads what the server says,
 * says what has to be said, and tells when a decision is wanted. It does no input or output and
 * knows no time, so a recorded conversation can be repeated. */
#ifndef RINKD_WORKERS_COMPETE_TALK_H
#define RINKD_WORKERS_COMPETE_TALK_H

#include "workers/compete/thought.h"

#include "api/base/strict_json.h"

enum {
    TALK_SAYINGS_MAX = 4,
    TALK_WHY_MAX = 320,
    TALK_HEAD_MAX = 512,
    TALK_NAME_MAX = 256 /* bytes of the name of a team, with 0 */
};

/* What a protocol needs to know before it begins; texts are borrowed. */
struct talk_setting {
    const char *name;            /* of the team */
    int team;                    /* wanted, 0 or 1: dc4 */
    const char *match;           /* its id: dc4 */
    const char *user, *password; /* dc2; dc4 gives them to the connection */
    int games;                   /* to play before we leave: dc2 */
};

/* A message of the server. Lines have no tag; what HTTP brings has one. */
struct heard {
    const char *tag; /* "state", an event; else the tag of the request that this answers */
    int status;      /* HTTP status of an answer, 0: no answer came */
    const char *text;
    size_t length;
    bool is_too_long; /* the text is left out */
};

/* Something to say: a line, or a request of HTTP, whose answer is heard under its tag. */
struct saying {
    const char *tag;          /* NULL: a line */
    char head[TALK_HEAD_MAX]; /* "POST /shots?match_id=…" */
    char *text;               /* malloc'ed; NULL: a request without a body */
    double delay_s;           /* wait this long before */
    bool is_secret;           /* not for the log */
};

enum talk_next {
    TALK_LISTEN,
    TALK_THINK,  /* `situation` wants a decision; a decision under way is out of date */
    TALK_OVER,   /* the game is over and `outcome` is known */
    TALK_REFUSE, /* the server wants a game that we cannot play: `why` */
    TALK_BROKEN  /* the server broke the protocol: `why` */
};

struct outcome {
    bool is_known;
    int winner; /* 0, 1; -1: a draw */
    char
        reason[24]; /* "score", "concede", "time_limit", "draw"; "" where the server does not say */
    int points[2];
    int games, won, lost; /* finished games of this conversation */
};

/* The game as the server last told it, for those who keep the games. */
struct seen {
    int states;          /* told so far */
    bool has_game;       /* `game` waits for a shot */
    struct game game;    /* as in a situation */
    bool has_thrown;     /* the shot before this state: */
    struct shot thrown;  /* … as it left the hand */
    bool conceded, foul; /* … or none was thrown; it was a foul */
    bool has_final;      /* the shot ended an end, and the stones are known: */
    struct position final;
};

struct protocol;

struct talk {
    const struct protocol *protocol;
    const struct talk_setting *setting;
    void *own; /* the protocol's */

    int team; /* ours; -1: not known yet */
    char names[2][TALK_NAME_MAX];
    struct saying say[TALK_SAYINGS_MAX];
    int sayings;
    char why[TALK_WHY_MAX];     /* of TALK_REFUSE and TALK_BROKEN */
    char note[TALK_WHY_MAX];    /* something odd that did not stop us; "" : nothing */
    char warning[TALK_WHY_MAX]; /* the same, for whoever watches; "": nothing */
    char unknown[TALK_WHY_MAX]; /* the newest note of what is unknown: it is told once */
    bool no_memory;             /* a message could not be parsed for that reason */
    struct situation situation;
    struct seen seen;
    struct opponent_throws theirs; /* throws of the other team, as far as states tell them */
    struct outcome outcome;
};

struct protocol {
    const char *name;
    const char *profile;              /* whose ice is prepared before the conversation begins */
    size_t own_size;                  /* of `own`, zeroed at the start */
    void (*begin)(struct talk *talk); /* says the first words; NULL: the server begins */
    enum talk_next (*hear)(struct talk *talk, const struct heard *heard);
    void (*answer)(struct talk *talk, const struct decision *decision);
    void (*end)(struct talk *talk); /* frees what `own` points to; NULL: nothing */
};

extern const struct protocol protocol_dc2, protocol_dc3, protocol_dc4;

/* Begins and ends a conversation. False: out of memory. */
bool talk_begin(struct talk *talk, const struct protocol *protocol,
                const struct talk_setting *setting);
void talk_end(struct talk *talk);

/* --- for protocols --- */

/* Adds a line, or a request. Takes ownership of the document, which is written in one line. */
void talk_say(struct talk *talk, json_t *document);
void talk_say_text(struct talk *talk, const char *text);
void talk_request(struct talk *talk, const char *tag, double delay_s, json_t *body,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Write `why` or `note` and return the first argument. */
enum talk_next talk_because(struct talk *talk, enum talk_next next, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void talk_note(struct talk *talk, const char *format, ...) __attribute__((format(printf, 2, 3)));

void talk_warn(struct talk *talk, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Notes what was unknown in a message, unless the one before had the same, and warns of what is
 * assumed in its place. */
void talk_note_reading(struct talk *talk, const char *message, const struct strict_notes *notes);

/* Notes the name of a team; NULL: it has none. */
void talk_name(struct talk *talk, int team, const char *name);

/* Notes a state: the game that waits for a shot (NULL: none does), and the throw of the other team
 * that led to it. What was thrown before it is set by the protocol before. */
void talk_see(struct talk *talk, const struct game *game);

/* Parses a message as a JSON object. NULL, with `why` set: it is none. The caller owns it. */
json_t *talk_parse(struct talk *talk, const struct heard *heard);

/* A pointer as a path: "/state/shot" becomes ".state.shot". */
void talk_path(const char *pointer, char ret_path[STRICT_POINTER_MAX + 1]);

/* The first mistake of a message in `why`, as "state.shot: must be …". */
enum talk_next talk_blame(struct talk *talk, const char *what, const struct strict_errors *errors);

#endif
