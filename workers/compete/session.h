/* A conversation from its first word to its end: brings together a transport, a protocol, the clock
 * and the player, and keeps the journal. */
#ifndef RINKD_WORKERS_COMPETE_SESSION_H
#define RINKD_WORKERS_COMPETE_SESSION_H

#include "workers/compete/journal.h"
#include "workers/compete/transport.h"

/* X(end, word of the log, exit status of rink-compete, sentence) */
#define SESSION_ENDS(X)                                                                    \
    X(SESSION_OVER, "over", 0, "the game was played to its end")                           \
    X(SESSION_FAILED, "failed", 1, "something failed on our side, or nobody answered")     \
    X(SESSION_REFUSED, "refused", 3, "the server wants a game that cannot be played here") \
    X(SESSION_BROKEN, "broken", 4, "the server broke the protocol")                        \
    X(SESSION_CLOSED, "closed", 5, "the server closed the connection before the end")      \
    X(SESSION_SILENT, "silent", 6, "the server was silent for too long")                   \
    X(SESSION_LATE, "late", 7, "the game was lost on time")                                \
    X(SESSION_STOPPED, "stopped", 130, "stopped by a signal")
enum session_end {
#define X(name, word, status, text) name,
    SESSION_ENDS(X)
#undef X
};
const char *session_word(enum session_end end);
const char *session_text(enum session_end end);
int session_status(enum session_end end);

/* What a session tells those who watch it; the pointers are valid during the call. */
struct session_watcher {
    /* A decision of ours was said. */
    void (*decided)(void *context, const struct talk *talk, const struct decision *decision);
    /* Something was heard. */
    void (*heard)(void *context, const struct talk *talk, const struct heard *heard);
    void *context;
};

/* Decisions of an earlier session, for a repetition. */
struct session_memory {
    /* The one for this situation; false: there is none. */
    bool (*next)(void *context, const struct situation *situation, struct decision *ret_decision);
    /* Told how a decision was repeated; `was_searched`: false where it was taken from memory. */
    void (*repeated)(void *context, const struct decision *before, const struct decision *now,
                     bool was_searched);
    void *context;
};

struct session {
    const struct protocol *protocol;
    struct talk_setting talk;
    struct thinker thinker;
    double reserve;   /* share of the time that is kept, 0 … 1 */
    double silence_s; /* without a word of the server */
    /* A server that speaks first has spoken by then (clock_now_s()), but has SESSION_QUIET_S after
     * the connection in any case; 0: it may take `silence_s`. */
    double greeting_until_s;
    const atomic_bool *cancel;
    struct journal *journal;               /* may be NULL */
    const struct session_watcher *watcher; /* may be NULL */
    const struct session_memory *memory;   /* NULL: decide anew */
};

/* Whoever watches is told of a server that says nothing for so long after the connection. */
#define SESSION_QUIET_S 5.0

struct session_report {
    enum session_end end;
    char why[TALK_WHY_MAX];
    int team; /* -1: never known */
    char names[2][TALK_NAME_MAX];
    struct outcome outcome;
    int decisions, fallbacks;
    double used_s; /* of our clock, as we counted */
    double left_s; /* on our clock at the last decision, less it; NAN: no clock */
};

/* Talks to the end. */
void session_run(const struct session *session, struct transport *transport,
                 struct session_report *ret_report);

/* {"end","why","team","names","winner","reason","points","decisions",…} of a session that has
 * ended. */
json_t *session_json(const struct session_report *report);

#endif
