/* Tokens, allowances and counts of callers. See callers.h. */
#include "service/base/callers.h"

#include "api/base/clock.h"
#include "api/base/time_text.h"
#include "service/base/log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { DAY_MS = 24 * 3600 * 1000 };

/* Counts of a caller. They stay when its token goes, as the same name may come again. */
struct tally {
    struct tally *next;
    char name[CONFIG_NAME_MAX]; /* "": without tokens */
    double requests, at_s;      /* that it may make now; refills with time */
    int64_t refused[CALLER_REFUSALS];
};

struct callers {
    double requests_per_s; /* 0: no limit */
    pthread_mutex_t lock;  /* guards the members below */
    struct config_token tokens[CONFIG_TOKENS_MAX];
    int token_count;
    struct tally *tallies;
    int64_t look_ms; /* the next time that tokens are looked at */
};

struct callers *callers_open(const struct config *config)
{
    struct callers *callers = calloc(1, sizeof *callers);

    if (!callers)
        return NULL;
    callers->requests_per_s = config->requests_per_s;
    pthread_mutex_init(&callers->lock, NULL);
    callers_reload(callers, config);
    return callers;
}

void callers_close(struct callers *callers)
{
    if (!callers)
        return;
    for (struct tally *tally = callers->tallies, *next; tally; tally = next) {
        next = tally->next;
        free(tally);
    }
    pthread_mutex_destroy(&callers->lock);
    free(callers);
}

void callers_reload(struct callers *callers, const struct config *config)
{
    pthread_mutex_lock(&callers->lock);
    memcpy(callers->tokens, config->tokens, sizeof callers->tokens);
    callers->token_count = config->token_count;
    callers->look_ms = 0;
    pthread_mutex_unlock(&callers->lock);
}

enum caller_standing callers_find(struct callers *callers, const char *text, int64_t now_ms,
                                  struct config_token *ret_token)
{
    enum caller_standing standing = CALLER_UNKNOWN;

    pthread_mutex_lock(&callers->lock);
    const struct config_token *token =
        text ? config_token_find(callers->tokens, callers->token_count, text) : NULL;
    if (callers->token_count == 0)
        standing = CALLER_NO_TOKENS;
    else if (token)
        standing =
            token->expires_ms != 0 && token->expires_ms <= now_ms ? CALLER_EXPIRED : CALLER_KNOWN;
    if (token)
        *ret_token = *token;
    pthread_mutex_unlock(&callers->lock);
    return standing;
}

bool callers_still_know(struct callers *callers, const struct config_token *token, int64_t now_ms)
{
    pthread_mutex_lock(&callers->lock);
    bool is_known = callers->token_count == 0;
    for (int k = 0; k < callers->token_count; k++) {
        const struct config_token *now = &callers->tokens[k];
        if (memcmp(now->sha256, token->sha256, sizeof now->sha256) == 0)
            is_known = now->expires_ms == 0 || now->expires_ms > now_ms;
    }
    pthread_mutex_unlock(&callers->lock);
    return is_known;
}

/* ---- what is counted ---- */

/* Finds the tally of a caller, or makes one; NULL: memory is short. Needs the lock. */
static struct tally *find_tally(struct callers *callers, const char *name)
{
    struct tally *tally = callers->tallies;

    if (!name)
        name = "";
    while (tally && strcmp(tally->name, name) != 0)
        tally = tally->next;
    if (tally || strlen(name) >= sizeof tally->name || !(tally = calloc(1, sizeof *tally)))
        return tally;
    strcpy(tally->name, name);
    tally->next = callers->tallies;
    callers->tallies = tally;
    return tally;
}

bool callers_take_one(struct callers *callers, const char *name)
{
    double per_s = callers->requests_per_s, now_s = clock_now_s();

    if (per_s == 0)
        return true;
    pthread_mutex_lock(&callers->lock);
    struct tally *tally = find_tally(callers, name);
    bool has_one = true;
    if (tally) {
        tally->requests += per_s * (now_s - tally->at_s);
        if (tally->requests > per_s)
            tally->requests = per_s;
        tally->at_s = now_s;
        has_one = tally->requests >= 1.0;
        if (has_one)
            tally->requests -= 1.0;
    }
    pthread_mutex_unlock(&callers->lock);
    return has_one;
}

void callers_count_refused(struct callers *callers, const char *name, enum caller_refusal why)
{
    pthread_mutex_lock(&callers->lock);
    struct tally *tally = find_tally(callers, name);
    if (tally)
        tally->refused[why]++;
    pthread_mutex_unlock(&callers->lock);
}

int64_t callers_refused(struct callers *callers, const char *name, enum caller_refusal why)
{
    pthread_mutex_lock(&callers->lock);
    const struct tally *tally = find_tally(callers, name);
    int64_t refused = tally ? tally->refused[why] : 0;
    pthread_mutex_unlock(&callers->lock);
    return refused;
}

/* ---- the tokens ---- */

struct config_limits callers_limits(struct callers *callers, const char *name)
{
    struct config_limits limits = {.jobs = 0};

    pthread_mutex_lock(&callers->lock);
    for (int k = 0; name && k < callers->token_count; k++)
        if (strcmp(callers->tokens[k].name, name) == 0)
            limits = callers->tokens[k].limits;
    pthread_mutex_unlock(&callers->lock);
    return limits;
}

int callers_tokens(struct callers *callers, struct config_token ret_tokens[CONFIG_TOKENS_MAX])
{
    pthread_mutex_lock(&callers->lock);
    int count = callers->token_count;
    memcpy(ret_tokens, callers->tokens, sizeof callers->tokens);
    pthread_mutex_unlock(&callers->lock);
    return count;
}

static void warn(const struct config_token *token, int64_t now_ms)
{
    char expires[TIME_TEXT_MAX];

    if (token->expires_ms == 0 ||
        token->expires_ms - now_ms > (int64_t)CALLERS_WARN_DAYS * DAY_MS ||
        !time_write(token->expires_ms, expires))
        return;
    log_line(LOG_WARNING, token->expires_ms <= now_ms ? "token has expired" : "token expires soon",
             log_text("name", token->name), log_text("expires_at", expires));
}

void callers_look(struct callers *callers, int64_t now_ms)
{
    struct config_token tokens[CONFIG_TOKENS_MAX];

    pthread_mutex_lock(&callers->lock);
    bool is_due = now_ms >= callers->look_ms;
    if (is_due)
        callers->look_ms = now_ms + DAY_MS;
    pthread_mutex_unlock(&callers->lock);
    for (int k = 0, count = is_due ? callers_tokens(callers, tokens) : 0; k < count; k++)
        warn(&tokens[k], now_ms);
}
