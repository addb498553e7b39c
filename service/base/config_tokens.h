/* The tokens file, for config.c. */
#ifndef RINKD_SERVICE_BASE_CONFIG_TOKENS_H
#define RINKD_SERVICE_BASE_CONFIG_TOKENS_H

#include "service/base/config.h"

struct config_reading;

/* config.c: says what is wrong and notes that reading failed. Returns false. */
bool config_complain(struct config_reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Reads config->tokens_file into config->tokens; complains about each bad line. */
void config_tokens_read(struct config_reading *reading, struct config *config);

/* Prints a new token and its line for the file; `text` is SCOPES[:NAME] and is changed. */
void config_token_make(struct config_reading *reading, char *text);

#endif
