/** The two small shell programs of a start. All values come as arguments: no text is ever built into a script. */

/**
 * Outside, as root, only where something to be shown lies below a closed directory: makes it reachable in a mount
 * namespace of its own and becomes the rest of the chain. One process id from spawn to bubblewrap.
 */
export const LAUNCHER = `
while :; do
  case $1 in
    bind) mount --bind -- "$2" "$3" || exit 97; shift 3 ;;
    --) shift; exec "$@" ;;
    *) exit 97 ;;
  esac
done`;

/**
 * Inside, as the first process: says ready on 3, starts the program only after the answer there. A Supervisor that was
 * killed meanwhile gives an end of file instead, and this ends (--die-with-parent alone left 10 orphans of 30 kills).
 * Until the answer it is the only process inside, so by making it a member Supervisor has all of the program in its groups.
 * Then waits, collects orphans, and reports the exit code and how many processes the program left behind. What the shell
 * has to say of a program that a signal ended goes the same way: the code alone does not tell that from exit 128 + n.
 * $1 processes and $2 kibibytes of data per process where no control group does it, else "-".
 */
export const FIRST = `
ulimit -c 0
if [ "$1" != - ]; then ulimit -u "$1" 2>/dev/null || ulimit -p "$1" || exit 97; fi
if [ "$2" != - ]; then ulimit -d "$2" || exit 97; fi
shift 2
echo ready >&3
read -r go <&3 || exit 98
exec 9>&2 2>&3
unset PWD OLDPWD SHLVL go
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
