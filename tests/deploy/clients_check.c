/* Uses deploy/clients/rinkd.h as its head describes: HOST PORT; the token is in the environment.
 * Prints "well" if everything holds. */
#define RINKD_IMPLEMENTATION
#include <rinkd.h>

static void need(int good, const char *what, const struct rinkd *rink)
{
    if (good)
        return;
    fprintf(stderr, "clients: %s: %s\n", what, rink->error);
    exit(1);
}

struct heard {
    int events;
    char state[32];
};

static int hear(void *context, const char *name, const char *data)
{
    struct heard *heard = context;

    (void)name;
    heard->events++;
    rinkd_text(data, "state", heard->state, sizeof heard->state);
    return strcmp(heard->state, "done") != 0;
}

static void check_json(struct rinkd *rink)
{
    static const char text[] =
        " {\"a\": [1, {\"b\\\"}\": \"x}\", \"b\": -2.5e1}], \"c\":\"q\\\"r\"}";
    double number = 0.0;
    char word[16];

    need(rinkd_number(text, "a.1.b", &number) && number == -25.0, "number", rink);
    need(rinkd_text(text, "c", word, sizeof word) && strcmp(word, "q\"r") == 0, "text", rink);
    need(!rinkd_find(text, "a.7") && !rinkd_find(text, "d") && !rinkd_find("{\"a\":", "b.c"),
         "absent", rink);
}

int main(int argc, char **argv)
{
    static const char job_text[] = "{\"kind\":\"match\",\"spec\":{\"a\":\"random\",\"b\":\"ai-"
                                   "simple\",\"ends\":1,\"pairs\":2}}";
    struct rinkd_job job;
    char path[80], id[64], *text;
    double match = 0.0;

    if (argc != 3)
        return 1;
    struct rinkd rink = rinkd_at(argv[1], argv[2], getenv("RINKCTL_TOKEN"));
    check_json(&rink);
    need(rinkd_submit(&rink, job_text, &job), "submit", &rink);
    snprintf(path, sizeof path, "/v1/jobs/%lld/events", job.id);
    struct heard heard = {.events = 0};
    need(rinkd_events(&rink, path, hear, &heard) && heard.events > 0, "events", &rink);
    need(rinkd_wait(&rink, job.id, &job) && strcmp(job.state, "done") == 0, "wait", &rink);
    snprintf(path, sizeof path, "/v1/matches?job=%lld", job.id);
    need(rinkd_request(&rink, "GET", path, NULL, &text) && rinkd_number(text, "items.0.id", &match),
         "matches", &rink);
    free(text);
    snprintf(path, sizeof path, "/v1/matches/%d/games", (int)match);
    need(rinkd_request(&rink, "GET", path, NULL, &text) &&
             rinkd_text(text, "items.0.id", id, sizeof id),
         "games", &rink);
    free(text);
    need(rinkd_game(&rink, id, &text), "game", &rink);
    int lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    need(lines == 17, "17 lines of a game", &rink);
    free(text);
    need(!rinkd_request(&rink, "GET", "/v1/jobs/999999", NULL, &text) && rink.status == 404,
         "a refusal", &rink);
    puts("well");
    return 0;
}
