/* What rink-search and rink-simulate say is wrong with a question, as HTTP says it. */
#ifndef RINKD_SERVICE_SHOTS_SHOT_ERRORS_H
#define RINKD_SERVICE_SHOTS_SHOT_ERRORS_H

#include "service/http/http.h"

/* What a final answer of either program means; API_OK: it is one. */
enum api_error shot_errors_code(const json_t *answer);

/* Answers the request with the fields that the program refused (API_BAD_FIELD). */
enum api_error shot_errors_send(struct http_request *request, const json_t *answer);

#endif
