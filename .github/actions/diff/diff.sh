#!/bin/sh
# A step of a workflow: `hydride diff`, which must be in PATH, of OLD and NEW with FLAGS. The report goes to the job's
# summary; the step's output `differs` is true or false. Exit code: 0; 1 where something differs, unless FAIL is false;
# else that of `hydride diff` when it could not compare.
set -u
summary=${GITHUB_STEP_SUMMARY:-/dev/stdout}
outputs=${GITHUB_OUTPUT:-/dev/stdout}
# Flags are words.
# shellcheck disable=SC2086
hydride diff --format markdown ${FLAGS:---breaking-only} -- "$OLD" "$NEW" >>"$summary"
code=$?
case $code in
0) echo "differs=false" >>"$outputs" ;;
1)
    echo "differs=true" >>"$outputs"
    if [ "${FAIL:-true}" = false ]; then
        echo "::warning title=Differences in meaning::$NEW differs from $OLD; see the summary of the job"
        code=0
    else
        echo "::error title=Differences in meaning::$NEW differs from $OLD; see the summary of the job"
    fi
    ;;
*) echo "::error title=Differences in meaning::$OLD and $NEW could not be compared; see the log" ;;
esac
exit $code
