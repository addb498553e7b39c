/* Counts bytes by caller. See blob_shares.h. */
#include "service/nodes/blob_shares.h"

#include "service/store/jobs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum { BUCKETS = 1 << 12, DIGITS = 3 /* of a hash, that tell its bucket */ };

struct owner {
    SLIST_ENTRY(owner) link;
    char name[JOB_OWNER_MAX];
    int64_t bytes;
};

struct sent {
    SLIST_ENTRY(sent) link;
    char sha256[BLOB_SHA256_MAX];
    int64_t bytes;
    struct owner *owner;
};

struct blob_shares {
    pthread_mutex_t lock;
    SLIST_HEAD(, owner) owners;
    SLIST_HEAD(bucket, sent) buckets[BUCKETS];
};

struct blob_shares *blob_shares_new(void)
{
    struct blob_shares *shares = calloc(1, sizeof *shares);

    if (shares)
        pthread_mutex_init(&shares->lock, NULL);
    return shares;
}

void blob_shares_free(struct blob_shares *shares)
{
    struct owner *owner;
    struct sent *sent;

    for (int k = 0; shares && k < BUCKETS; k++)
        while ((sent = SLIST_FIRST(&shares->buckets[k])) != NULL) {
            SLIST_REMOVE_HEAD(&shares->buckets[k], link);
            free(sent);
        }
    while (shares && (owner = SLIST_FIRST(&shares->owners)) != NULL) {
        SLIST_REMOVE_HEAD(&shares->owners, link);
        free(owner);
    }
    if (shares)
        pthread_mutex_destroy(&shares->lock);
    free(shares);
}

static struct bucket *bucket_of(struct blob_shares *shares, const char *sha256)
{
    char digits[DIGITS + 1];

    snprintf(digits, sizeof digits, "%s", sha256);
    return &shares->buckets[strtoul(digits, NULL, 16) % BUCKETS];
}

static struct sent *find_sent(struct bucket *bucket, const char *sha256)
{
    struct sent *sent;

    SLIST_FOREACH(sent, bucket, link)
    if (strcmp(sent->sha256, sha256) == 0)
        break;
    return sent;
}

/* NULL: no memory. */
static struct owner *find_owner(struct blob_shares *shares, const char *name)
{
    struct owner *owner;

    SLIST_FOREACH(owner, &shares->owners, link)
    if (strcmp(owner->name, name) == 0)
        return owner;
    owner = calloc(1, sizeof *owner);
    if (owner) {
        snprintf(owner->name, sizeof owner->name, "%s", name);
        SLIST_INSERT_HEAD(&shares->owners, owner, link);
    }
    return owner;
}

/* With the lock. */
static bool take(struct blob_shares *shares, const char *caller, const char *sha256, int64_t bytes,
                 int64_t most, int64_t *ret_used)
{
    struct bucket *bucket = bucket_of(shares, sha256);
    struct sent *sent = find_sent(bucket, sha256);
    struct owner *owner = sent ? sent->owner : find_owner(shares, caller);
    const int64_t more = bytes - (sent ? sent->bytes : 0);

    *ret_used = owner ? owner->bytes : 0;
    if (!owner || (more > 0 && most > 0 && owner->bytes + more > most))
        return false;
    if (!sent) {
        sent = calloc(1, sizeof *sent);
        if (!sent)
            return false;
        sent->owner = owner;
        snprintf(sent->sha256, sizeof sent->sha256, "%s", sha256);
        SLIST_INSERT_HEAD(bucket, sent, link);
    }
    if (more > 0) {
        sent->bytes += more;
        owner->bytes += more;
    }
    return true;
}

bool blob_shares_take(struct blob_shares *shares, const char *caller, const char *sha256,
                      int64_t bytes, int64_t most, int64_t *ret_used)
{
    pthread_mutex_lock(&shares->lock);
    bool is_taken = take(shares, caller, sha256, bytes, most, ret_used);
    pthread_mutex_unlock(&shares->lock);
    return is_taken;
}

void blob_shares_drop(struct blob_shares *shares, const char *sha256)
{
    pthread_mutex_lock(&shares->lock);
    struct bucket *bucket = bucket_of(shares, sha256);
    struct sent *sent = find_sent(bucket, sha256);
    if (sent) {
        SLIST_REMOVE(bucket, sent, sent, link);
        sent->owner->bytes -= sent->bytes;
        free(sent);
    }
    pthread_mutex_unlock(&shares->lock);
}
