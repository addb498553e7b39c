/* Identifies the caller and decides whether it may make this request now: tokens and scopes, no web
 * pages if there are no tokens, requests per second. */
#include "service/http/http_exchange.h"

#include "api/clock.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>

/* ---- web pages ---- */

/* Whether "HOST" or "HOST:PORT" is a name that always means this machine. */
static bool is_loopback(const char *text)
{
    char host[64];
    struct in_addr v4;
    struct in6_addr v6;
    bool in_brackets = *text == '[';
    size_t length = strcspn(text += in_brackets, in_brackets ? "]" : ":");

    if (length >= sizeof host)
        return false;
    memcpy(host, text, length);
    host[length] = '\0';
    text += length;
    if (in_brackets && *text++ != ']')
        return false;
    if (*text == ':')
        text += 1 + strspn(text + 1, "0123456789");
    if (*text != '\0')
        return false;
    if (in_brackets)
        return inet_pton(AF_INET6, host, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
    return strcasecmp(host, "localhost") == 0 ||
           (inet_pton(AF_INET, host, &v4) == 1 && ntohl(v4.s_addr) >> 24 == 127);
}

/* Without tokens every program on this machine is trusted, but pages in a browser here must not be.
 * A page that sends requests has its Origin in the head, which must be this host and port: another
 * port of this machine may be anybody's. A page whose name was pointed here (DNS rebinding) has
 * that name in Host. */
static bool is_of_this_machine(const struct http_request *request)
{
    const char *host = http_header(request, MHD_HTTP_HEADER_HOST);
    const char *origin = http_header(request, MHD_HTTP_HEADER_ORIGIN);
    const char *origin_host = origin ? strstr(origin, "://") : NULL;

    return (!host || is_loopback(host)) &&
           (!origin || (host && origin_host && strcasecmp(origin_host + 3, host) == 0));
}

/* ---- requests per second ---- */

/* Takes one request from the caller's allowance, which holds at most a second's worth. */
static bool take_one(struct http *http, struct allowance *allowance)
{
    double per_s = http->base->config->requests_per_s, now_s = clock_now_s();

    if (per_s == 0)
        return true;
    pthread_mutex_lock(&http->lock);
    allowance->requests += per_s * (now_s - allowance->at_s);
    if (allowance->requests > per_s)
        allowance->requests = per_s;
    allowance->at_s = now_s;
    bool has_one = allowance->requests >= 1.0;
    if (has_one)
        allowance->requests -= 1.0;
    pthread_mutex_unlock(&http->lock);
    return has_one;
}

static bool is_within_quota(struct exchange *x, int allowance)
{
    if (take_one(x->http, &x->http->allowances[allowance]))
        return true;
    http_problem_about(&x->request, API_QUOTA, "at most %d requests in a second",
                       x->http->base->config->requests_per_s);
    return false;
}

/* ---- admission ---- */

/* Gives the request the name and the scopes of its token, if that is known, and the index of the
 * token's allowance, else -1. False: there are no tokens. */
static bool find_token(struct exchange *x, const char *text, int *ret_allowance)
{
    struct http *http = x->http;
    bool is_bearer = text && strncasecmp(text, "Bearer ", 7) == 0;

    *ret_allowance = -1;
    pthread_mutex_lock(&http->lock);
    bool has_tokens = http->token_count > 0;
    const struct config_token *token =
        is_bearer
            ? config_token_find(http->tokens, http->token_count, text + 7 + strspn(text + 7, " "))
            : NULL;
    if (token) {
        *ret_allowance = (int)(token - http->tokens);
        memcpy(x->caller, token->name, sizeof x->caller);
        x->request.caller = x->caller;
    }
    if (has_tokens)
        x->request.scopes = token ? token->scopes : 0;
    pthread_mutex_unlock(&http->lock);
    return has_tokens;
}

/* A connection above the limit is kept for those who watch the service. */
static bool is_health_check(const struct http_request *request)
{
    static const char *const paths[] = {"/healthz", "/readyz", "/metrics"};

    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++)
        if (strcmp(request->route->path, paths[k]) == 0)
            return true;
    return false;
}

bool exchange_admit(struct exchange *x)
{
    struct http_request *request = &x->request;
    unsigned scope = request->route->scope;
    const char *text = http_header(request, MHD_HTTP_HEADER_AUTHORIZATION);
    int allowance;

    if (x->link && x->link->is_spare && !is_health_check(request)) {
        x->is_last = true;
        http_add_header(request, MHD_HTTP_HEADER_CONNECTION, "close");
        http_problem(request, API_BUSY, "all connections are in use");
        return false;
    }
    request->scopes = ~0u;
    if (!find_token(x, text, &allowance)) {
        if (scope == SCOPE_NONE)
            return true;
        if (is_of_this_machine(request))
            return is_within_quota(x, CONFIG_TOKENS_MAX);
        http_problem(request, API_FORBIDDEN,
                     "without tokens only programs on this machine are served: Host must name "
                     "localhost, and Origin, if there is one, the same host and port");
        return false;
    }
    if (scope == SCOPE_NONE)
        return true;
    if (allowance < 0) {
        http_problem(request, API_UNAUTHORIZED,
                     text ? "unknown token" : "send Authorization: Bearer TOKEN");
        return false;
    }
    /* Every scope includes reading. */
    if (scope == SCOPE_READ ? request->scopes == 0 : (request->scopes & scope) == 0) {
        http_problem(request, API_FORBIDDEN, NULL);
        return false;
    }
    return is_within_quota(x, allowance);
}
