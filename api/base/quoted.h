/* Constants in texts, so that help cannot disagree with them. */
#ifndef RINKD_API_BASE_QUOTED_H
#define RINKD_API_BASE_QUOTED_H

/* The arguments, with macros replaced, as a string literal. */
#define QUOTED(...)       QUOTED_AS_IS(__VA_ARGS__)
#define QUOTED_AS_IS(...) #__VA_ARGS__

#endif
