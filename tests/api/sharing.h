/* Callers with tokens who ask for shots at the same time. */
#ifndef RINKD_TESTS_API_SHARING_H
#define RINKD_TESTS_API_SHARING_H

#include "tests/api/client.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum { SHARING_HEADER_MAX = 128 };

/* Makes a token for queries and writes its line to the file; the header is what the caller sends.
 */
void sharing_add_token(const char *name, FILE *tokens, char ret_header[SHARING_HEADER_MAX]);

/* Asks for a shot of 60 ms; free the reply with reply_free(). Equal seeds make equal queries, which
 * may share their answer. */
struct reply sharing_ask(int port, const char *header, int seed);

/* Asks for a shot that takes an hour. */
struct reply sharing_ask_long(int port, const char *header, int seed, bool is_async);

/* A caller who asks again as soon as it is answered, on one connection for each thread that runs
 * sharing_be_greedy(), until is_over. */
struct greedy {
    int port;
    const char *header;
    atomic_bool is_over;
    atomic_int seed, answered, refused;
    atomic_int refused_well; /* with a reason and a time to come back */
};
void *sharing_be_greedy(void *greedy);

#endif
