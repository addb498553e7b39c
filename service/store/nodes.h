/* Nodes: other machines that do tasks (workers/node). Rows of `node`, and what nodes do with tries
 * beyond store/tasks.h. */
#ifndef RINKD_SERVICE_STORE_NODES_H
#define RINKD_SERVICE_STORE_NODES_H

#include "service/store/tasks.h"

enum {
    NODE_SESSION_MAX = 33, /* 128 random bits in hexadecimal, and 0 */
    NODE_SEEN_MS = 30000,  /* how old last_seen may be */
    NODE_AWAY_MS = 120000  /* unseen for longer it counts as away */
};

#define NODE_STATES(X)                                                   \
    X(NODE_ACTIVE, "active")       /* gets tasks */                      \
    X(NODE_PAUSED, "paused")       /* gets none, goes on with its own */ \
    X(NODE_DRAINING, "draining")   /* gives its tasks back and ends */   \
    X(NODE_SUSPENDED, "suspended") /* gave a wrong answer */             \
    X(NODE_LEFT, "left")           /* has ended */
enum node_state {
#define X(name, text) name,
    NODE_STATES(X)
#undef X
        NODE_STATE_COUNT
};
const char *node_state_name(enum node_state state);

struct node_new {
    const char *name, *owner; /* owner "": there are no tokens */
    int64_t cores;
    int64_t memory_bytes;                   /* 0: not told */
    const char *gpu, *place;                /* NULL: not told */
    const char *kinds, *refused, *versions; /* JSON */
    double shots_per_s;                     /* NAN: not told */
};

/* Registers a process as the node of that name, which gives back what an earlier one did. A node
 * that was suspended stays so. API_EXISTS: the name is another caller's. */
enum api_error node_store_register(struct store *store, const struct node_new *node, int64_t now_ms,
                                   char ret_session[NODE_SESSION_MAX]);

/* What a call of a node is checked against. */
struct node_row {
    char name[TASK_NODE_MAX], owner[JOB_OWNER_MAX], session[NODE_SESSION_MAX];
    enum node_state state;
    int64_t cores, last_seen_ms, protocol;
    char *kinds, *reason; /* malloc'ed; free with node_row_free() */
};
/* API_NOT_FOUND: there is no such node. */
enum api_error node_store_find(struct store *store, const char *name, struct node_row *ret_node);
void node_row_free(struct node_row *node);

/* Whether a node that speaks this protocol may do tasks (api/jobs/wire.h); if not, ret_why says so.
 */
enum { NODE_WHY_MAX = 128 };
bool node_speaks(int64_t protocol, char ret_why[NODE_WHY_MAX]);

/* Notes that the node was heard. */
enum api_error node_store_seen(struct store *store, const char *name, int64_t now_ms);
/* The node has ended: gives back what it did. */
enum api_error node_store_leave(struct store *store, const char *name, int64_t now_ms);

/* Wishes of callers. API_NOT_FOUND; API_STATE: the move is not allowed. `resume` also ends a
 * suspension. */
enum node_wish { NODE_PAUSE, NODE_RESUME, NODE_DRAIN };
enum api_error node_store_ask(struct store *store, const char *name, enum node_wish wish);
enum api_error node_store_suspend(struct store *store, const char *name, const char *reason,
                                  int64_t now_ms);
/* Deletes the node, and gives back what it did. Tries keep its name. */
enum api_error node_store_forget(struct store *store, const char *name, int64_t now_ms);

/* {"name","state","reason","owner","cores","memory_bytes","gpu","kinds","refused","versions",
 * "shots_per_s","place","since","last_seen","is_away","last_error","done","failed","lost","busy_s",
 * "doing":[{"job","number","kind","cores","since"}]}; the caller's. */
enum api_error node_store_get(struct store *store, const char *name, int64_t now_ms,
                              json_t **ret_node);
enum api_error node_store_list(struct store *store, int64_t now_ms, struct store_page *page);
/* Nodes in each state, those that are away left out, and their cores. */
enum api_error node_store_counts(struct store *store, int64_t now_ms,
                                 int64_t ret_counts[NODE_STATE_COUNT], int64_t *ret_cores);

/* --- tries of nodes --- */

struct node_try {
    int64_t job, number, lines, cores;
    bool is_leased;             /* else it has ended, whatever the token */
    char path[256], sha256[65]; /* of the file that it has named; "": none yet */
    bool is_said_known;
    char said[65]; /* a hash over what it has said of its run; "": nothing */
    char node[TASK_NODE_MAX], kind[JOB_KIND_MAX];
    char wanted[16]; /* of the job: "", "paused", "cancelled" */
};
/* Finds a try by its token. API_NOT_FOUND: there is none. */
enum api_error node_store_try(struct store *store, const struct task_holder *holder,
                              struct node_try *ret_try);
/* Notes that this many lines of the try are in the store, and what all of them said (NULL: it is
 * not known). */
enum api_error node_store_lines(struct store *store, const struct task_holder *holder,
                                int64_t lines, const char *said);
/* Notes what was said up to the checkpoint of the task, of which this try has just told. */
enum api_error node_store_said(struct store *store, const struct task_holder *holder,
                               const char *said);
/* Gives back the tries of a node whose tokens are not in the list: their answer never reached it.
 */
enum api_error node_store_keep(struct store *store, const char *node, const json_t *tokens,
                               int64_t now_ms, int *ret_released);

#endif
