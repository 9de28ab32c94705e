/**
 * The small shell programs of a start. All values are arguments, variables or come on a pipe: no text is ever built
 * into a script.
 */

/**
 * Runs outside, as root, only if something to mount lies below a closed directory: makes it reachable in its own mount
 * namespace and becomes the rest of the chain. One pid from spawn to bubblewrap.
 */
export const LAUNCHER = `
while :; do
  case $1 in
    bind) mount --rbind -- "$2" "$3" || exit 97; shift 3 ;;
    --) shift; exec "$@" ;;
    *) exit 97 ;;
  esac
done`;

/**
 * Runs inside, as the first process, from an execute-only copy of the shell (first-process.ts).
 *
 * First it checks whether a process of its user may read its environment, and ends if so: the program could forge its
 * own exit code then. The file belongs to root while the process is closed, so mostly nothing has to be tried.
 *
 * It says ready on 3 and starts the program only after the answer there. A killed Supervisor gives an end of file
 * instead, and this process ends (--die-with-parent alone left 10 orphans of 30 kills). Until the answer it is the only
 * process inside, so by making it a member Supervisor has the whole program in its groups.
 *
 * While the program runs it collects orphans and ignores signals: a shell ends on SIGINT, even as the first process.
 * Then it reports the exit code and how many processes the program left behind, and ends with the same code. Bubblewrap
 * passes that code on; it is the one that counts, and the report must agree (combined-end.ts). The report also holds what the
 * shell says about a program that a signal ended: the code alone does not distinguish that from exit 128 + n.
 *
 * The program's words, variables and limits come in variables that no policy may name (first-process.ts). Limits are
 * processes, and kibibytes of data per process if no control group bounds them, else "-". None of these variables is
 * left for the program. Words that are too many or too long come as arguments. The fork that becomes the program sets
 * the program's variables. If the program is a line for /bin/sh, the same copy runs it: what the line starts cannot
 * forge its code either.
 */
export const FIRST = `
ulimit -c 0
if [ -r /proc/1/environ ] && ( : </proc/1/environ ) 2>/dev/null; then echo 'programs inside can reach the first process' >&2; exit 97; fi
if [ "$SANDBOX_FIRST_PROCESSES" != - ]; then ulimit -u "$SANDBOX_FIRST_PROCESSES" 2>/dev/null || ulimit -p "$SANDBOX_FIRST_PROCESSES" || exit 97; fi
if [ "$SANDBOX_FIRST_DATA" != - ]; then ulimit -d "$SANDBOX_FIRST_DATA" || exit 97; fi
SANDBOX_FIRST_N=0
while [ "$SANDBOX_FIRST_N" -lt "$SANDBOX_FIRST_COUNT" ]; do
  eval 'set -- "$@" "$SANDBOX_FIRST_'"$SANDBOX_FIRST_N"'"; unset SANDBOX_FIRST_'"$SANDBOX_FIRST_N"
  SANDBOX_FIRST_N=$((SANDBOX_FIRST_N + 1))
done
case "$1 \${2-}" in '/bin/sh -c')
  [ $# -gt 3 ] || set -- "$@" "$1"
  shift
  set -- /run/supervisor/first/sh "$@" ;;
esac
case \${BASH_VERSION-} in ?*) set -- env -u _ "$@" ;; esac
echo ready >&3
read -r SANDBOX_FIRST_N <&3 || exit 98
exec 9>&2 2>&3
trap '' HUP INT QUIT TERM
(
  trap - HUP INT QUIT TERM
  exec 2>&9 9>&- 3>&-
  unset PWD OLDPWD SHLVL SANDBOX_FIRST_PROCESSES SANDBOX_FIRST_DATA SANDBOX_FIRST_COUNT
  SANDBOX_FIRST_N=0
  while [ "$SANDBOX_FIRST_N" -lt "$SANDBOX_FIRST_VARIABLES" ]; do
    eval 'export "$SANDBOX_FIRST_V'"$SANDBOX_FIRST_N"'"; unset SANDBOX_FIRST_V'"$SANDBOX_FIRST_N"
    SANDBOX_FIRST_N=$((SANDBOX_FIRST_N + 1))
  done
  unset SANDBOX_FIRST_VARIABLES SANDBOX_FIRST_N
  exec "$@"
)
code=$?
exec 2>/dev/null
left=0 children=unknown
read -r children </proc/1/task/1/children
if [ -n "$children" ]; then
  for process in /proc/[0-9]*; do
    read -r line <"$process/stat" || continue
    case $line in *') Z '*) ;; *) left=$((left + 1)) ;; esac
  done
  left=$((left - 1))
fi
echo "end $code $left" >&3
exit "$code"`;
