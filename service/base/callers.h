/* Who may call: the tokens of the settings, and what was counted for each caller. A caller is the
 * name of a token; NULL is everybody where there are no tokens, and so is "". Any
 * thread. */
#ifndef RINKD_SERVICE_BASE_CALLERS_H
#define RINKD_SERVICE_BASE_CALLERS_H

#include "service/base/config.h"

#include <stdbool.h>
#include <stdint.h>

struct callers;

enum { CALLERS_WARN_DAYS = 14 }; /* before a token expires the log warns, once a day */

/* NULL: out of memory. */
struct callers *callers_open(const struct config *config);
void callers_close(struct callers *callers); /* NULL is fine */

/* Takes the tokens of these settings from now on. */
void callers_reload(struct callers *callers, const struct config *config);

enum caller_standing {
    CALLER_NO_TOKENS, /* everybody may do everything */
    CALLER_UNKNOWN,
    CALLER_EXPIRED,
    CALLER_KNOWN
};
/* Finds the token with this text (NULL: none was sent). CALLER_EXPIRED and CALLER_KNOWN set
 * *ret_token. */
enum caller_standing callers_find(struct callers *callers, const char *text, int64_t now_ms,
                                  struct config_token *ret_token);

/* Whether a token that was found may still be used: it was not removed since, and has not expired. A
 * caller without token (all of it is 0) may go on while there are no tokens. */
bool callers_still_know(struct callers *callers, const struct config_token *token, int64_t now_ms);

/* Takes one request from the caller's allowance, which holds at most a second's worth. False: it is
 * used up. */
bool callers_take_one(struct callers *callers, const char *name);

/* Answers that are counted for each caller: too many requests (429), and not allowed (403). */
enum caller_refusal { CALLER_TOO_MANY, CALLER_FORBIDDEN, CALLER_REFUSALS };
/* Counts such an answer; the other function returns the count. */
void callers_count_refused(struct callers *callers, const char *name, enum caller_refusal why);
int64_t callers_refused(struct callers *callers, const char *name, enum caller_refusal why);

/* The limits of a caller; all 0 for a name without token. */
struct config_limits callers_limits(struct callers *callers, const char *name);

/* Copies the tokens; returns how many there are. */
int callers_tokens(struct callers *callers, struct config_token ret_tokens[CONFIG_TOKENS_MAX]);

/* Logs, at the first call and then once a day and after callers_reload(), which tokens have expired
 * or soon will. */
void callers_look(struct callers *callers, int64_t now_ms);

#endif
