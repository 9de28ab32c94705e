/** The two small shell programs of a start. All values come as arguments: no text is ever built into a script. */

/**
 * Outside, as root: puts itself into the control groups (so nothing of the sandbox was ever outside them), makes tool
 * chains below closed directories reachable, and becomes the rest of the chain. One process id from spawn to bubblewrap.
 */
export const LAUNCHER = `
while :; do
  case $1 in
    join) echo $$ >"$2" || exit 97; shift 2 ;;
    bind) mount --bind -- "$2" "$3" || exit 97; shift 3 ;;
    --) shift; exec "$@" ;;
    *) exit 97 ;;
  esac
done`;

/**
 * Inside, as the first process: says ready on 4, starts the program only after the answer on 3. A Supervisor that was
 * killed meanwhile gives an end of file instead, and this ends (--die-with-parent alone left 10 orphans of 30 kills).
 * Then waits, collects orphans, and reports the exit code and how many processes the program left behind.
 * $1 processes and $2 kibibytes of data per process where no control group does it, else "-".
 */
export const FIRST = `
ulimit -c 0
if [ "$1" != - ]; then ulimit -u "$1" 2>/dev/null || ulimit -p "$1" || exit 97; fi
if [ "$2" != - ]; then ulimit -d "$2" || exit 97; fi
shift 2
echo ready >&4
read -r go <&3 || exit 98
exec 3<&- 9>&2 2>/dev/null
unset PWD OLDPWD SHLVL go
case \${BASH_VERSION-} in ?*) set -- env -u _ "$@" ;; esac
( exec 2>&9 9>&- 4>&-; exec "$@" )
code=$?
left=0
for process in /proc/[0-9]*; do
  read -r line <"$process/stat" || continue
  case $line in *') Z '*) ;; *) left=$((left + 1)) ;; esac
done
echo "end $code $((left - 1))" >&4
exit "$code"`;
