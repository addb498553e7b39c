/* The contract as tests see it: which method, path and status api/openapi.yaml documents, and which
 * of them a test has met. */
#ifndef RINKD_TESTS_API_CONTRACT_H
#define RINKD_TESTS_API_CONTRACT_H

#include <jansson.h>
#include <stdbool.h>

/* Reads the file. Failures end the test. */
void contract_load(const char *path);

/* Operation 0, 1, …: method ("GET") and path ("/v1/jobs/{id}"); false past the last one. */
bool contract_operation(int index, const char **ret_method, const char **ret_path);
/* Whether the contract has this status for it; those that may happen to any request do not count.
 */
bool contract_has(const char *method, const char *path, long status);

/* A schema under components/schemas of the file that is written as JSON, which is YAML, too; the
 * caller's. */
json_t *contract_schema(const char *file_name, const char *name);

/* Remembers an answer; one that is not documented fails the test. `path` as in the contract:
 * "/v1/jobs/{id}". */
void contract_met(const char *method, const char *path, long status);

/* Fails, naming them, if there are statuses in least … most of an operation that were never met.
 * `is_asked` says whether those of a path count; NULL: all. */
void contract_assert_all_met(long least, long most, bool (*is_asked)(const char *path));

#endif
