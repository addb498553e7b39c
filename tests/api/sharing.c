/* Tokens, queries and greedy callers. See sharing.h. */
#include "tests/api/sharing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { TOKEN_MAX = 64 };

void sharing_add_token(const char *name, FILE *tokens, char ret_header[SHARING_HEADER_MAX])
{
    char command[256], line[256], token[TOKEN_MAX];

    snprintf(command, sizeof command, "'%s' --new-token query:%s", RINKD, name);
    FILE *out = popen(command, "re");
    assert_non_null(out);
    assert_int_equal(fscanf(out, "%63s ", token), 1);
    assert_non_null(fgets(line, sizeof line, out));
    assert_int_equal(pclose(out), 0);
    fputs(line, tokens);
    snprintf(ret_header, SHARING_HEADER_MAX, "Authorization: Bearer %s", token);
}

/* Asks with these limits and this time-out. */
static struct reply ask(int port, const char *const *headers, int seed, const char *limits)
{
    static const char query[] = "{\"profile\":\"dc3\",\"seed\":%d,%s,"
                                "\"state\":{\"end\":0,\"shot\":0,\"hammer\":\"team1\","
                                "\"scores\":{\"team0\":[],\"team1\":[]},"
                                "\"stones\":{\"team0\":[null,null,null,null,null,null,null,null],"
                                "\"team1\":[null,null,null,null,null,null,null,null]}}}";
    char body[sizeof query + 128];

    snprintf(body, sizeof body, query, seed, limits);
    return client_call(port,
                       &(struct client_call){
                           .method = "POST", .path = "/v1/shots", .body = body, .header = headers});
}

struct reply sharing_ask(int port, const char *header, int seed)
{
    const char *const headers[] = {header, "Content-Type: application/json", NULL};

    return ask(port, headers, seed, "\"limits\":{\"time_ms\":60},\"timeout_ms\":20000");
}

struct reply sharing_ask_long(int port, const char *header, int seed, bool is_async)
{
    const char *const headers[] = {header, "Content-Type: application/json",
                                   is_async ? "Prefer: respond-async" : NULL, NULL};

    return ask(port, headers, seed,
               "\"limits\":{\"simulations\":1000000000000},\"timeout_ms\":3600000");
}

void *sharing_be_greedy(void *context)
{
    struct greedy *greedy = context;
    char seconds[16];

    while (!atomic_load(&greedy->is_over)) {
        struct reply reply =
            sharing_ask(greedy->port, greedy->header, atomic_fetch_add(&greedy->seed, 1) + 1);
        const char *type = json_string_value(json_object_get(reply.json, "type"));
        if (reply.status == 200)
            atomic_fetch_add(&greedy->answered, 1);
        if (reply.status == 503) {
            atomic_fetch_add(&greedy->refused, 1);
            if (type && *reply_header(&reply, "Retry-After", sizeof seconds, seconds) &&
                (strcmp(type, "/problems/share-full") == 0 || strcmp(type, "/problems/busy") == 0))
                atomic_fetch_add(&greedy->refused_well, 1);
        }
        reply_free(&reply);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return NULL;
}
