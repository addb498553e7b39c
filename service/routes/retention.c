/* What goes by the rules of retention, and the backups of the database. */
#include "service/routes/routes.h"

#include "api/base/build_json.h"
#include "service/base/config.h"
#include "service/routes/server.h"
#include "service/upkeep/retention.h"
#include "service/upkeep/upkeep.h"

#include <stdlib.h>

/* ---- retention ---- */

/* The rules as they are set. */
static json_t *rules_json(const struct retention_rules *rules)
{
    json_t *json = json_object();
    bool good = true;

    for (int k = 0; k < KEPT_KINDS; k++)
        good =
            build_add(json, kept_kind_name((enum kept_kind)k), json_string(rules->keep[k].text)) &&
            good;
    return build_done(json, good);
}

/* GET /v1/retention   →   200 {"rules","goes":[…],"running","last","next_at"}: a dry run */
enum api_error route_retention(struct http_request *request)
{
    const struct config *config = request->server->base.config;
    const struct retention_rules rules = retention_rules(config, true);
    struct retention_plan *plan = calloc(1, sizeof *plan);

    if (!plan)
        return API_NO_MEMORY;
    enum api_error error =
        retention_plan(request->store, config->data, &rules, request->now_ms, plan);
    json_t *json = error == API_OK ? upkeep_retention_json(request->server->upkeep) : NULL;
    bool good = build_add(json, "rules", rules_json(&rules));
    good = build_add(json, "goes", retention_json(plan->go, plan)) && good;
    retention_plan_free(plan);
    free(plan);
    return answer_with(request, error == API_OK && !good ? API_NO_MEMORY : error,
                       build_done(json, good));
}

/* Answers 200 once the retention has ended, or 202 when the caller's time is over. Who does not
 * wait gets 202, however fast it was. */
static enum api_error route_retention_asked(struct http_request *request)
{
    struct upkeep *upkeep = request->server->upkeep;
    double wait_s = http_prefer_wait_s(request);
    bool has_ended =
        wait_s > 0.0 && upkeep_retention_ended(upkeep, *(const int64_t *)request->state);

    if (!has_ended &&
        http_wait(request, UPKEEP_TOPIC, request->arrived_s + wait_s, route_retention_asked))
        return API_OK;
    return http_json(request, has_ended ? 200 : 202, upkeep_retention_json(upkeep));
}

/* POST /v1/retention   →   202 {"running","last","next_at"}, or with "Prefer: wait=N" 200 when it
 * has ended */
enum api_error route_retention_now(struct http_request *request)
{
    int64_t *number = malloc(sizeof *number);

    if (!number)
        return API_NO_MEMORY;
    request->state = number;
    *number = upkeep_ask_retention(request->server->upkeep);
    return route_retention_asked(request);
}

/* ---- backups ---- */

/* GET /v1/backup   →   200 {"every_h","next_at","failure","items":[{"name","bytes","at"}]} */
enum api_error route_backups(struct http_request *request)
{
    json_t *json = NULL;
    enum api_error error = upkeep_backups_json(request->server->upkeep, &json);

    return answer_with(request, error, json);
}

/* POST /v1/backup → 201 {"name","bytes"}: a copy of the database in <data>/backups, made while
 * others read and write. Only one at a time, as a copy occupies an HTTP thread. */
enum api_error route_backup(struct http_request *request)
{
    char name[BACKUP_NAME_MAX];
    struct backup backup;
    enum api_error error =
        upkeep_back_up(request->server->upkeep, request->store, request->now_ms, &backup);

    if (error == API_BUSY)
        return http_problem(request, API_BUSY, "another backup is being made");
    if (error != API_OK)
        return error;
    backup_name(backup.at_ms, name);
    return http_json(request, 201,
                     json_pack("{s:s, s:I}", "name", name, "bytes", (json_int_t)backup.bytes));
}
