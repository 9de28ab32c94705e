/**
 * The small shell programs of a start. All values come as arguments, in the environment or on a pipe: no text is ever
 * built into a script.
 */

/**
 * Outside, as root, only where something to be shown lies below a closed directory: makes it reachable in a mount
 * namespace of its own and becomes the rest of the chain. One process id from spawn to bubblewrap.
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
 * Outside, as root, long before it is known what for: waits for the user to become, and becomes the rest of the chain.
 * A Supervisor that was killed meanwhile gives an end of file instead, and this ends.
 */
export const SPARE = `
read -r user input <&3 || exit 98
case $input in given) exec <&6 ;; esac
exec 6<&-
exec chroot --userspec="$user:$user" --groups= / "$@"`;

/**
 * Inside, as the first process: says ready on 3, starts the program only after the answer there. A Supervisor that was
 * killed meanwhile gives an end of file instead, and this ends (--die-with-parent alone left 10 orphans of 30 kills).
 * Until the answer it is the only process inside, so by making it a member Supervisor has all of the program in its groups.
 * Then waits, collects orphans, and reports the exit code and how many processes the program left behind. What the shell
 * has to say of a program that a signal ended goes the same way: the code alone does not tell that from exit 128 + n.
 * The program's words and its limits (processes, and kibibytes of data per process, where no control group bounds them,
 * else "-") come in variables that no policy may name (first-process.ts); none of them is left for the program. Words too
 * many or too long for that come as arguments.
 */
export const FIRST = `
ulimit -c 0
if [ "$SANDBOX_FIRST_PROCESSES" != - ]; then ulimit -u "$SANDBOX_FIRST_PROCESSES" 2>/dev/null || ulimit -p "$SANDBOX_FIRST_PROCESSES" || exit 97; fi
if [ "$SANDBOX_FIRST_DATA" != - ]; then ulimit -d "$SANDBOX_FIRST_DATA" || exit 97; fi
SANDBOX_FIRST_N=0
while [ "$SANDBOX_FIRST_N" -lt "$SANDBOX_FIRST_COUNT" ]; do
  eval 'set -- "$@" "$SANDBOX_FIRST_'"$SANDBOX_FIRST_N"'"; unset SANDBOX_FIRST_'"$SANDBOX_FIRST_N"
  SANDBOX_FIRST_N=$((SANDBOX_FIRST_N + 1))
done
echo ready >&3
read -r SANDBOX_FIRST_N <&3 || exit 98
exec 9>&2 2>&3
unset PWD OLDPWD SHLVL SANDBOX_FIRST_PROCESSES SANDBOX_FIRST_DATA SANDBOX_FIRST_COUNT SANDBOX_FIRST_N
case \${BASH_VERSION-} in ?*) set -- env -u _ "$@" ;; esac
( exec 2>&9 9>&- 3>&-; exec "$@" )
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
