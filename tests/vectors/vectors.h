/* The scenes of tests/vectors/ (*.jsonl, see README.md there) as arrays, for tests and benchmarks.
 * Positions are in the shot frame and stones in shot order, as everywhere in models/; the files'
 * float32 values survive the conversion bit for bit. */
#ifndef RINKD_TESTS_VECTORS_VECTORS_H
#define RINKD_TESTS_VECTORS_VECTORS_H

#include "models/ice/throw.h"

#include <stddef.h>

enum vector_kind {
    VECTOR_EMPTY,  /* no stone on the sheet */
    VECTOR_SINGLE, /* one stone, and a shot aimed at it */
    VECTOR_MID,    /* 4..12 stones of random play */
    VECTOR_OUT     /* a full-weight hit that removes a stone */
};

struct vector_scene {
    int id;
    enum vector_kind kind;
    const struct ice_profile *ice; /* dc2, or dc3 for the model "fcv1" */
    struct position before;
    int stone; /* the delivered one */
    struct shot shot;

    /* The official simulator's answer. */
    struct position after;
    int collisions;
    int score; /* positive: the team of the even stones scores */
    bool fgz_foul;
    double sens_m; /* distance between its own results when the velocity changes by 1e-5; NAN: a
                    * different set of stones */
};

struct vectors {
    struct vector_scene *scene;
    size_t count;
};

/* Reads all scenes of a .jsonl file. On failure prints the file and line to stderr, returns false
 * and leaves *ret_vectors unchanged. Free the result with vectors_free(). */
bool vectors_load(const char *path, struct vectors *ret_vectors);
void vectors_free(struct vectors *vectors); /* NULL is fine */

/* Returns the request that throws the scene's shot; it borrows the scene. */
struct throw_request vector_request(const struct vector_scene *scene);

/* Returns the score of a position in the scene's model, with the sign of vector_scene.score. */
int vector_score(const struct vector_scene *scene, const struct position *position);

/* Returns the largest distance in metres between the stones of two positions; INFINITY if they hold
 * different stones. */
double vector_difference_m(const struct position *a, const struct position *b);

#endif
