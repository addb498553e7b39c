/* The table of all routes. Each row is an operation of api/openapi.yaml; a test compares the two.
 */
#include "service/routes/routes.h"

#define PARAMETERS(...)   \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }
#define PAGE    "limit", "cursor", "fields"
#define RESULTS PARAMETERS("profile", "player", "job", PAGE)
#define CURVES  PARAMETERS("names", "from_step", "to_step", "max_points", "format")

/* clang-format off */
const struct route routes[] = {
    {"GET", "/", SCOPE_NONE, ROUTE_READ, BODY_NONE, NULL, route_front, NULL},
    {"GET", "/assets/{version}/{folder}/{name}", SCOPE_NONE, ROUTE_READ, BODY_NONE, NULL, route_asset, NULL},
    {"GET", "/healthz", SCOPE_NONE, ROUTE_READ, BODY_NONE, NULL, route_health, NULL},
    {"GET", "/readyz", SCOPE_NONE, ROUTE_CORE, BODY_NONE, check_ready, route_ready, NULL},
    {"GET", "/metrics", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_metrics_page, NULL},
    {"GET", "/openapi.yaml", SCOPE_ANY, ROUTE_READ, BODY_NONE, NULL, route_openapi, NULL},
    {"GET", "/v1/version", SCOPE_ANY, ROUTE_READ, BODY_NONE, NULL, route_version, NULL},

    {"GET", "/v1/schemas", SCOPE_ANY, ROUTE_READ, BODY_NONE, NULL, route_schemas, NULL},
    {"GET", "/v1/schemas/{kind}", SCOPE_ANY, ROUTE_READ, BODY_NONE, NULL, route_schema, NULL},
    {"GET", "/v1/job-kinds", SCOPE_ANY, ROUTE_READ, BODY_NONE, NULL, route_job_kinds, NULL},
    {"GET", "/v1/job-kinds/{kind}", SCOPE_ANY, ROUTE_READ, BODY_NONE, NULL, route_job_kind, NULL},
    {"GET", "/v1/profiles", SCOPE_ANY, ROUTE_READ, BODY_NONE, NULL, route_profiles, NULL},

    {"POST", "/v1/shots", SCOPE_QUERY, ROUTE_CORE, BODY_JSON, check_shot, route_shot_add, PARAMETERS("format")},
    {"GET", "/v1/shots/{id}", SCOPE_QUERY_OR_READ, ROUTE_CORE, BODY_NONE, NULL, route_shot, NULL},
    {"DELETE", "/v1/shots/{id}", SCOPE_QUERY, ROUTE_CORE, BODY_NONE, NULL, route_shot_delete, NULL},
    {"GET", "/v1/shots/{id}/events", SCOPE_QUERY_OR_READ, ROUTE_CORE, BODY_NONE, NULL, route_shot_events, NULL},
    {"POST", "/v1/maps", SCOPE_QUERY, ROUTE_CORE, BODY_JSON, check_map, route_shot_add, NULL},
    {"POST", "/v1/calls", SCOPE_QUERY, ROUTE_CORE, BODY_JSON, check_calls, route_shot_add, NULL},
    {"POST", "/v1/simulations", SCOPE_QUERY, ROUTE_CORE, BODY_JSON, check_simulation, route_simulation, NULL},
    {"POST", "/v1/skills", SCOPE_QUERY, ROUTE_CORE, BODY_JSON, check_skill, route_skill, NULL},
    {"POST", "/v1/positions/score", SCOPE_QUERY, ROUTE_READ, BODY_JSON, NULL, route_position_score, NULL},
    {"POST", "/v1/positions/validate", SCOPE_QUERY, ROUTE_READ, BODY_JSON, NULL, route_position_validate, NULL},

    {"GET", "/v1/jobs", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_jobs, PARAMETERS("kind", "state", "owner", PAGE)},
    {"POST", "/v1/jobs", SCOPE_TRAIN, ROUTE_WRITE, BODY_JSON, check_job, route_job_add, NULL},
    {"POST", "/v1/jobs/cancel", SCOPE_TRAIN, ROUTE_CORE, BODY_JSON, check_jobs_cancel, route_jobs_move, NULL},
    {"POST", "/v1/jobs/delete", SCOPE_TRAIN, ROUTE_CORE, BODY_JSON, check_jobs_delete, route_jobs_move, NULL},
    {"POST", "/v1/jobs/priority", SCOPE_TRAIN, ROUTE_CORE, BODY_JSON, check_jobs_priority, route_jobs_move, NULL},
    {"GET", "/v1/jobs/{id}", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_job, PARAMETERS("history", "fields")},
    {"DELETE", "/v1/jobs/{id}", SCOPE_TRAIN, ROUTE_WRITE, BODY_NONE, NULL, route_job_delete, NULL},
    {"POST", "/v1/jobs/{id}/cancel", SCOPE_TRAIN, ROUTE_WRITE, BODY_OPTIONAL_JSON, NULL, route_job_cancel, NULL},
    {"POST", "/v1/jobs/{id}/pause", SCOPE_TRAIN, ROUTE_WRITE, BODY_NONE, NULL, route_job_pause, NULL},
    {"POST", "/v1/jobs/{id}/resume", SCOPE_TRAIN, ROUTE_WRITE, BODY_NONE, NULL, route_job_resume, NULL},
    {"POST", "/v1/jobs/{id}/kick", SCOPE_TRAIN, ROUTE_WRITE, BODY_NONE, NULL, route_job_kick, NULL},
    {"POST", "/v1/jobs/{id}/priority", SCOPE_TRAIN, ROUTE_WRITE, BODY_JSON, NULL, route_job_priority, NULL},
    {"POST", "/v1/jobs/{id}/repeat", SCOPE_TRAIN, ROUTE_WRITE, BODY_OPTIONAL_JSON, check_job_repeat, route_job_add, NULL},
    {"GET", "/v1/jobs/{id}/events", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_job_events, NULL},
    {"GET", "/v1/jobs/{id}/tasks", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_job_tasks, PARAMETERS(PAGE)},
    {"GET", "/v1/jobs/{id}/game", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_job_game, NULL},
    {"GET", "/v1/jobs/{id}/log", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_job_log, NULL},
    {"GET", "/v1/events", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_jobs_events, NULL},

    {"GET", "/v1/reviews/{report}", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_review, NULL},
    {"POST", "/v1/reviews/{id}/puzzles", SCOPE_QUERY, ROUTE_WRITE, BODY_OPTIONAL_JSON, check_puzzles, route_puzzles_add, NULL},
    {"GET", "/v1/library", SCOPE_QUERY_OR_READ, ROUTE_READ, BODY_NONE, NULL, route_library, PARAMETERS("tag", "puzzle", PAGE)},
    {"POST", "/v1/library", SCOPE_QUERY, ROUTE_WRITE, BODY_JSON, check_library, route_library_add, NULL},
    {"GET", "/v1/library/{id}", SCOPE_QUERY_OR_READ, ROUTE_READ, BODY_NONE, NULL, route_library_one, NULL},
    {"PATCH", "/v1/library/{id}", SCOPE_QUERY, ROUTE_WRITE, BODY_JSON, check_library_change, route_library_change, NULL},
    {"DELETE", "/v1/library/{id}", SCOPE_QUERY, ROUTE_WRITE, BODY_NONE, NULL, route_library_delete, NULL},

    {"GET", "/v1/runs", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_runs, PARAMETERS("job", "ids", PAGE)},
    {"GET", "/v1/runs/{id}", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_run, NULL},
    {"PATCH", "/v1/runs/{id}", SCOPE_TRAIN, ROUTE_WRITE, BODY_JSON, check_run_tags, route_run_tags, NULL},
    {"GET", "/v1/runs/{id}/metrics", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_run_metrics, CURVES},
    {"GET", "/v1/runs/{id}/checkpoints", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_run_checkpoints, PARAMETERS(PAGE)},
    {"GET", "/v1/runs/{id}/checkpoints/{step}", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_run_checkpoint, NULL},
    {"POST", "/v1/metrics/query", SCOPE_READ, ROUTE_READ, BODY_JSON, NULL, route_metrics_query, NULL},

    {"GET", "/v1/models", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_models, PARAMETERS(PAGE)},
    {"GET", "/v1/models/{name}", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_model, NULL},
    {"PUT", "/v1/models/{name}", SCOPE_TRAIN, ROUTE_WRITE, BODY_FILE, check_model, route_model_add, NULL},
    {"PATCH", "/v1/models/{name}", SCOPE_TRAIN, ROUTE_WRITE, BODY_JSON, check_model_card, route_model_card, NULL},
    {"DELETE", "/v1/models/{name}", SCOPE_TRAIN, ROUTE_WRITE, BODY_NONE, NULL, route_model_delete, NULL},
    {"GET", "/v1/models/{name}/weights", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_model_weights, NULL},
    {"PUT", "/v1/models/{name}/aliases/{alias}", SCOPE_TRAIN, ROUTE_WRITE, BODY_NONE, check_model_alias, route_model_alias, NULL},
    {"DELETE", "/v1/models/{name}/aliases/{alias}", SCOPE_TRAIN, ROUTE_WRITE, BODY_NONE, NULL, route_model_unalias, NULL},

    {"GET", "/v1/players", SCOPE_QUERY_OR_READ, ROUTE_READ, BODY_NONE, NULL, route_players, PARAMETERS(PAGE)},
    {"POST", "/v1/players", SCOPE_TRAIN, ROUTE_WRITE, BODY_JSON, check_player, route_player_add, NULL},
    {"GET", "/v1/players/{name}", SCOPE_QUERY_OR_READ, ROUTE_READ, BODY_NONE, NULL, route_player, NULL},
    {"DELETE", "/v1/players/{name}", SCOPE_TRAIN, ROUTE_WRITE, BODY_NONE, NULL, route_player_delete, NULL},

    {"GET", "/v1/matches", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_matches, RESULTS},
    {"GET", "/v1/matches/{id}", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_match, NULL},
    {"GET", "/v1/matches/{id}/games", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_match_games, PARAMETERS(PAGE)},
    {"POST", "/v1/games", SCOPE_TRAIN, ROUTE_WRITE, BODY_SMALL_FILE, check_games, route_games_add, NULL},
    {"GET", "/v1/games/{id}", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_game, NULL},
    {"GET", "/v1/ratings", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_ratings, PARAMETERS("profile", "ends", "extra_ends")},
    {"GET", "/v1/exploitability", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_exploitability, RESULTS},
    {"GET", "/v1/reproduction", SCOPE_ANY, ROUTE_READ, BODY_NONE, NULL, route_reproduction, NULL},

    {"GET", "/v1/nodes", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_nodes, PARAMETERS(PAGE)},
    {"POST", "/v1/nodes", SCOPE_WORK, ROUTE_WRITE, BODY_JSON, check_node, route_node_add, NULL},
    {"GET", "/v1/nodes/{name}", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_node, NULL},
    {"DELETE", "/v1/nodes/{name}", SCOPE_ADMIN, ROUTE_WRITE, BODY_NONE, NULL, route_node_delete, NULL},
    {"POST", "/v1/nodes/{name}/claim", SCOPE_WORK, ROUTE_CORE, BODY_JSON, check_node_claim, route_node_claim, NULL},
    {"POST", "/v1/nodes/{name}/lines", SCOPE_WORK, ROUTE_WRITE, BODY_JSON, check_node_lines, route_node_lines, NULL},
    {"POST", "/v1/nodes/{name}/leave", SCOPE_WORK, ROUTE_WRITE, BODY_JSON, check_node_leave, route_node_leave, NULL},
    {"POST", "/v1/nodes/{name}/pause", SCOPE_ADMIN, ROUTE_WRITE, BODY_NONE, NULL, route_node_pause, NULL},
    {"POST", "/v1/nodes/{name}/resume", SCOPE_ADMIN, ROUTE_WRITE, BODY_NONE, NULL, route_node_resume, NULL},
    {"POST", "/v1/nodes/{name}/drain", SCOPE_ADMIN, ROUTE_WRITE, BODY_NONE, NULL, route_node_drain, NULL},
    {"GET", "/v1/blobs/{sha256}", SCOPE_WORK, ROUTE_READ, BODY_NONE, NULL, route_blob, NULL},
    {"PUT", "/v1/blobs/{sha256}", SCOPE_WORK, ROUTE_READ, BODY_FILE, NULL, route_blob_add, NULL},

    {"GET", "/v1/webhooks", SCOPE_ADMIN, ROUTE_READ, BODY_NONE, NULL, route_webhooks, PARAMETERS(PAGE)},
    {"POST", "/v1/webhooks", SCOPE_ADMIN, ROUTE_WRITE, BODY_JSON, check_webhook, route_webhook_add, NULL},
    {"GET", "/v1/webhooks/{id}", SCOPE_ADMIN, ROUTE_READ, BODY_NONE, NULL, route_webhook, NULL},
    {"DELETE", "/v1/webhooks/{id}", SCOPE_ADMIN, ROUTE_WRITE, BODY_NONE, NULL, route_webhook_delete, NULL},
    {"POST", "/v1/webhooks/{id}/test", SCOPE_ADMIN, ROUTE_WRITE, BODY_NONE, NULL, route_webhook_test, NULL},
    {"GET", "/v1/webhooks/{id}/deliveries", SCOPE_ADMIN, ROUTE_READ, BODY_NONE, NULL, route_webhook_deliveries, PARAMETERS(PAGE)},
    {"GET", "/v1/retention", SCOPE_ADMIN, ROUTE_READ, BODY_NONE, NULL, route_retention, NULL},
    {"POST", "/v1/retention", SCOPE_ADMIN, ROUTE_READ, BODY_NONE, NULL, route_retention_now, NULL},
    {"GET", "/v1/backup", SCOPE_ADMIN, ROUTE_READ, BODY_NONE, NULL, route_backups, NULL},
    {"POST", "/v1/backup", SCOPE_ADMIN, ROUTE_READ, BODY_NONE, NULL, route_backup, NULL},
    {"GET", "/v1/export", SCOPE_ADMIN, ROUTE_CORE, BODY_NONE, check_export, route_export, PARAMETERS("csv")},
    {"GET", "/v1/caller", SCOPE_ANY, ROUTE_READ, BODY_NONE, NULL, route_caller, NULL},
    {"GET", "/v1/callers", SCOPE_ADMIN, ROUTE_READ, BODY_NONE, NULL, route_callers, NULL},
    {"GET", "/v1/placement", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, route_placement, NULL},
    {"GET", "/v1/workers", SCOPE_ADMIN, ROUTE_CORE, BODY_NONE, NULL, route_workers, NULL},
    {0},
};
