/* The contract as tests see it: the methods, paths and statuses that api/openapi.yaml documents,
 * and which of them a test has met. */
#ifndef RINKD_TESTS_API_CONTRACT_H
#define RINKD_TESTS_API_CONTRACT_H

#include <jansson.h>
#include <stdbool.h>

/* Reads the file. Errors end the test. */
void contract_load(const char *path);

/* Gets operation 0, 1, …: method ("GET") and path ("/v1/jobs/{id}"); false past the last one. */
bool contract_operation(int index, const char **ret_method, const char **ret_path);
/* Returns whether a token with this scope alone may ask for operation `index`. */
bool contract_lets(int index, const char *scope);
/* Returns whether the contract documents this status for the operation; statuses that any request
 * may get do not count. */
bool contract_has(const char *method, const char *path, long status);

/* Returns a schema under components/schemas of a file written as JSON (which is valid YAML); the
 * caller frees it. */
json_t *contract_schema(const char *file_name, const char *name);

/* Records an answer as met; fails the test if it is undocumented. `path` as in the contract:
 * "/v1/jobs/{id}". */
void contract_met(const char *method, const char *path, long status);

/* Fails, naming them, if any documented status in least … most was never met. `is_asked` selects
 * the paths that count; NULL: all. */
void contract_assert_all_met(long least, long most, bool (*is_asked)(const char *path));

#endif
