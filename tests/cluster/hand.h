/* A node by hand: its requests one by one, to the daemon of the test program (daemon_here). Every
 * answer must be one that the contract knows: call contract_load() first. */
#ifndef RINKD_TESTS_CLUSTER_HAND_H
#define RINKD_TESTS_CLUSTER_HAND_H

#include "tests/api/client.h"
#include "tests/cluster/cluster.h"

#define HAND_GOLDEN "\"golden\":{\"throws/dc2\":\"0123456789abcdef\"}"

struct reply hand_get(const char *path);
struct reply hand_post(const char *path, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
struct reply hand_post_nothing(const char *path);
struct reply hand_delete(const char *path);
/* The test fails unless it is this status, and the body has the words. */
void hand_assert_refused(struct reply reply, long status, const char *words);

enum { HAND_SESSION = 33, HAND_NODE = 16 };

/* Registers for these kinds of jobs (a JSON array; NULL: all). */
void hand_register(const char *name, const char *kinds, char ret_session[HAND_SESSION]);

/* A task in its hands. */
struct hand_task {
    char node[HAND_NODE], session[HAND_SESSION], token[33];
    int64_t job, number;
    json_t *line;                                          /* its job, the caller's */
    char record[CLUSTER_RECORD + 1], sha256[CLUSTER_HASH]; /* of a match: what it has to find */
};
/* Claims one for a node that is registered. */
struct hand_task hand_claim(const char *node, const char *session);

/* PUTs a blob, or a piece of one (range: "Content-Range: …", NULL: all of it). */
struct reply hand_put(const char *sha256, const char *range, const char *bytes, size_t size);
/* POSTs lines (JSON, separated by commas), of which the first has the number `from`. */
struct reply hand_say(const struct hand_task *task, int from, const char *lines);
/* The test fails unless so many lines have come, and this wish is told (NULL: none). */
void hand_assert_acknowledged(struct reply reply, int64_t count, const char *wish);

#endif
