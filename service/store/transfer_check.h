/* Whether the values of a row of another database are such as this service writes. Nobody vouches
 * for an export: one value that cannot be read would break every list that shows it. */
#ifndef RINKD_SERVICE_STORE_TRANSFER_CHECK_H
#define RINKD_SERVICE_STORE_TRANSFER_CHECK_H

#include "service/store/transfer.h"

/* Refuses a value by the type of its column ("INTEGER", "REAL", "TEXT") and by what the column
 * holds; missing values and nulls are the business of the schema. The sentence in ret_why begins
 * with the column. */
enum api_error transfer_check(const char *table, const char *column, const char *type,
                              const json_t *value, char ret_why[TRANSFER_WHY_MAX]);

/* Refuses a row whose values do not fit each other. */
enum api_error transfer_check_row(const char *table, const json_t *row,
                                  char ret_why[TRANSFER_WHY_MAX]);

#endif
