#!/usr/bin/env bash
# For container.sh and check_images.sh: the most bytes of each image. The daemon has 14.6 MB of shipped
# networks, and 2.6 MB of those by which the referee of the regret bench stays the one that it was. rinkd
# is larger by Debian's libtorch_cpu (120 MB), oneDNN (40 MB) and BLIS with LAPACK (19 MB), of which
# deploy/image-root.sh has already removed what they link and do not use.
#
#   . image_limits.sh
export MOST_DAEMON_BYTES=49000000 MOST_RINKD_BYTES=250000000
