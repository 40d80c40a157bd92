#!/usr/bin/env bash
# The entry of one task of an array job: finds out which share is its own, then calls nightly.sh.
#
#   array-entry.sh STEP OUT [LIST...]
#
# AWS Batch sets AWS_BATCH_JOB_ARRAY_INDEX, an Indexed Job of Kubernetes JOB_COMPLETION_INDEX; both count from 0.
# The number of tasks is NIGHTLY_SLICES, or AWS_BATCH_JOB_ARRAY_SIZE where AWS Batch sets it.
# Without an index the one task does everything.
set -euo pipefail

index=${AWS_BATCH_JOB_ARRAY_INDEX:-${JOB_COMPLETION_INDEX:-}}
slices=${NIGHTLY_SLICES:-${AWS_BATCH_JOB_ARRAY_SIZE:-}}
if [[ -n $index ]]; then
  [[ -n $slices ]] || { echo 'array-entry.sh: NIGHTLY_SLICES is not set' >&2; exit 2; }
  export NIGHTLY_SLICE=$((index + 1))/$slices
fi
exec "$(dirname "$0")/nightly.sh" "$@"
