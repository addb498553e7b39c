/* What a node says of its tasks: the body of POST /v1/nodes/{name}/lines.
 *
 *     HTTP thread            core thread, one transaction                          after the commit
 *     read: lines, files ──► keep: skip lines that are here, place files, notes ──► tell: leads,
 * events
 *
 * Lines are numbered from 1 in each try, so each counts once however often it comes. */
#ifndef RINKD_SERVICE_NODES_NODE_REPORTS_H
#define RINKD_SERVICE_NODES_NODE_REPORTS_H

#include "api/base/strict_json.h"
#include "service/base/base.h"
#include "service/store/nodes.h"

struct node_reports;
struct supervisor;

enum { NODE_REPORTS_MAX = 256 /* tasks in a body */ };

/* Reads the member "tasks" of a body and checks the files that new lines name. Mistakes are added
 * to the errors of `list`. NULL: no memory, or there are mistakes. */
struct node_reports *node_reports_read(const struct strict_place *list, struct store *reader,
                                       const struct base *base);
void node_reports_free(void *reports);

/* Stores all of them, in a transaction. A try that has ended is told to stop, which is no error.
 * API_STATE: lines are missing before those that came, `ret_why` says where. API_BAD_FIELD,
 * API_NOT_FOUND: a line cannot be stored, ret_why says which. */
enum { NODE_REPORTS_WHY_MAX = 256 };
enum api_error node_reports_keep(struct node_reports *reports, struct store *store,
                                 const struct base *base, const struct node_row *node,
                                 int64_t now_ms, char ret_why[NODE_REPORTS_WHY_MAX]);
/* {"tasks":[{"job","number","token","acknowledged","wish":null|"cancel"|"drain"|"stop",
 * "reason":null|TEXT}]}; the caller's. */
json_t *node_reports_json(const struct node_reports *reports);
/* After the commit: tells leads and listeners, and removes files that are no longer needed. True:
 * tasks wait again, so somebody may take them. */
bool node_reports_tell(struct node_reports *reports, const struct base *base,
                       struct supervisor *supervisor);

#endif
