/* A receiver of webhooks for tests: counts what comes by webhook-id, answers as it is told. An
 * error of the receiver itself ends the test. */
#ifndef RINKD_TESTS_API_RECEIVER_H
#define RINKD_TESTS_API_RECEIVER_H

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct received {
    char id[64], signature[96];
    long long timestamp_s;
    char *body; /* of the first time, malloc'ed; each later one must be the same */
    int count;
};

struct receiver {
    int port, socket;
    pthread_t thread;
    atomic_int status; /* of the answers; 0: closes the connection without one */
    const char *head;  /* further lines of each answer, "Location: …\r\n"; NULL: none */

    pthread_mutex_t lock; /* guards the messages */
    struct received *messages;
    int count, capacity;
    atomic_int requests;
};

/* Listens on any free port of 127.0.0.1; answers 200 at first. */
void receiver_start(struct receiver *receiver);
void receiver_end(struct receiver *receiver);

/* Waits until so many requests have come, or messages that differ; the time limit of the test ends
 * a wait that never succeeds. */
void receiver_wait_requests(struct receiver *receiver, int requests);
void receiver_wait_messages(struct receiver *receiver, int messages);

#endif
