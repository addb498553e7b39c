/* Identifies the caller and decides whether it may make this request now: tokens and scopes, no web
 * pages if there are no tokens, requests per second. */
#include "service/http/http_exchange.h"

#include "api/base/time_text.h"

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

/* ---- admission ---- */

static bool is_within_quota(struct exchange *x)
{
    if (callers_take_one(x->http->base->callers, x->request.token))
        return true;
    http_problem_about(&x->request, API_QUOTA, "at most %d requests in a second",
                       x->http->base->config->requests_per_s);
    return false;
}

/* Gives the request the name and the scopes of its token, if that is known. */
static enum caller_standing find_token(struct exchange *x, const char *text)
{
    bool is_bearer = text && strncasecmp(text, "Bearer ", 7) == 0;
    enum caller_standing standing =
        callers_find(x->http->base->callers, is_bearer ? text + 7 + strspn(text + 7, " ") : NULL,
                     x->request.now_ms, &x->token);

    x->request.scopes = standing == CALLER_KNOWN ? x->token.scopes : 0;
    if (standing == CALLER_KNOWN || standing == CALLER_EXPIRED)
        x->request.caller = x->token.name;
    if (standing == CALLER_KNOWN)
        x->request.token = x->token.name;
    return standing;
}

/* Answers why the token is not accepted. */
static void refuse_token(struct exchange *x, enum caller_standing standing, bool has_given)
{
    char expired[TIME_TEXT_MAX];

    if (standing == CALLER_EXPIRED && time_write(x->token.expires_ms, expired))
        http_problem_about(&x->request, API_UNAUTHORIZED, "this token expired at %s", expired);
    else
        http_problem(&x->request, API_UNAUTHORIZED,
                     has_given ? "unknown token" : "send Authorization: Bearer TOKEN");
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

    if (x->link && x->link->is_spare && !is_health_check(request)) {
        x->is_last = true;
        http_add_header(request, MHD_HTTP_HEADER_CONNECTION, "close");
        http_problem(request, API_BUSY, "all connections are in use");
        return false;
    }
    enum caller_standing standing = find_token(x, text);
    if (standing == CALLER_NO_TOKENS) {
        request->scopes = ~0u;
        if (scope == SCOPE_NONE)
            return true;
        if (is_of_this_machine(request))
            return is_within_quota(x);
        http_problem(request, API_FORBIDDEN,
                     "without tokens only programs on this machine are served: Host must name "
                     "localhost, and Origin, if there is one, the same host and port");
        return false;
    }
    if (scope == SCOPE_NONE)
        return true;
    if (standing != CALLER_KNOWN) {
        refuse_token(x, standing, text != NULL);
        return false;
    }
    if ((config_scopes_whole(request->scopes) & scope) == 0) {
        char names[CONFIG_SCOPES_TEXT_MAX];
        config_scopes_write(scope, names);
        http_problem_about(request, API_FORBIDDEN,
                           "this needs the scope %s, which the token of %s "
                           "does not have",
                           names, x->token.name);
        return false;
    }
    return is_within_quota(x);
}
