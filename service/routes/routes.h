/* The functions of all routes; the table in routes.c maps requests to them. Each file is named
 * after its resource. Functions check_… run before functions route_…, on an HTTP thread
 * (service/http/http.h). */
#ifndef RINKD_SERVICE_ROUTES_ROUTES_H
#define RINKD_SERVICE_ROUTES_ROUTES_H

#include "service/http/http.h"
#include "service/store/results.h"

/* All routes; method NULL at the end. */
extern const struct route routes[];

/* Answers with the items of request->page, which it steals, or with the error. The parameter
 * `fields` (names separated by commas) selects members of the items. API_BAD_PARAMETER means a bad
 * cursor, as other parameters were read earlier. */
enum api_error answer_list(struct http_request *request, enum api_error error);

/* Answers with a page of results that `list` reads, filtered by ?profile&player&job&limit&cursor
 * and `fields`. */
typedef enum api_error results_list(struct store *store, const struct match_filter *filter,
                                    struct store_page *page);
/* Adds names for people to the items that have players: "name" for "player", "a_name" and "b_name"
 * for "a" and "b" (players_name()). False: memory is short. */
bool name_players(struct store *store, json_t *items);
enum api_error answer_results(struct http_request *request, results_list *list);

/* Answers with a document (stolen; NULL is fine after an error) or with the error. */
enum api_error answer_with(struct http_request *request, enum api_error error, json_t *document);
/* The same with the members alone that the parameter `fields` names, if it is there. */
enum api_error answer_part(struct http_request *request, enum api_error error, json_t *document);

/* What addresses in answers begin with: the setting base_path. */
const char *answer_base_path(const struct http_request *request);

/* Adds "Location: /v1/…", below the base path, to the answer that follows. */
void answer_location(struct http_request *request, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Answers 204 or with the error. */
enum api_error answer_deleted(struct http_request *request, enum api_error error);

/* health.c */
route_function route_index, route_health, check_ready, route_ready, route_openapi, route_version;

/* metrics_page.c */
route_function route_metrics_page;

/* dashboard.c */
route_function route_front, route_asset;

/* shots.c, simulations.c, skills.c, positions.c */
route_function check_shot, check_map, check_calls;
route_function route_shot_add, route_shot, route_shot_delete, route_shot_events;
route_function check_simulation, route_simulation, check_skill, route_skill;
route_function route_position_score, route_position_validate;

/* library.c */
route_function route_library, check_library, route_library_add, route_library_one,
    check_library_change, route_library_change, route_library_delete, check_puzzles,
    route_puzzles_add;

/* jobs.c, job_moves.c, bulk/ */
route_function check_job, check_job_repeat, route_job_add, route_jobs, route_job, route_job_delete,
    route_job_cancel, route_job_pause, route_job_resume, route_job_kick, route_job_priority,
    route_job_events, route_jobs_events, route_job_log, route_job_tasks;
route_function check_jobs_cancel, check_jobs_delete, check_jobs_priority, route_jobs_move;

/* runs.c, metrics_query.c */
route_function route_runs, route_run, check_run_tags, route_run_tags, route_run_metrics,
    route_run_checkpoints, route_run_checkpoint;
route_function route_metrics_query;

/* models.c, players.c */
route_function route_models, route_model, route_model_weights, check_model, route_model_add,
    check_model_card, route_model_card, check_model_alias, route_model_alias, route_model_unalias,
    route_model_delete;
route_function route_players, route_player, check_player, route_player_add, route_player_delete;

/* matches.c, ratings.c, exploitability.c, reproduction.c */
route_function route_matches, route_match, route_match_games, route_game, route_job_game,
    route_review;
route_function check_games, route_games_add; /* games.c */
route_function route_ratings;
route_function route_exploitability, route_reproduction;

/* nodes.c, blobs.c */
route_function route_nodes, route_node, check_node, route_node_add, check_node_claim,
    route_node_claim, check_node_lines, route_node_lines, check_node_leave, route_node_leave,
    route_node_pause, route_node_resume, route_node_drain, route_node_delete;
route_function route_blob, route_blob_add;

/* webhooks.c */
route_function route_webhooks, route_webhook, check_webhook, route_webhook_add,
    route_webhook_delete, route_webhook_test, route_webhook_deliveries;

/* schemas.c, job_kinds.c, profiles.c, admin.c */
route_function route_schemas, route_schema;
route_function route_job_kinds, route_job_kind;
route_function route_profiles;
route_function route_caller, route_callers, route_workers, route_placement;

/* export.c */
route_function check_export, route_export;

/* retention.c */
route_function route_retention, route_retention_now, route_backups, route_backup;

#endif
