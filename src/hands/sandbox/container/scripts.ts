/**
 * The small shell programs of a container. All values are arguments or come on a pipe: no text is ever built into a
 * script.
 */

/**
 * Runs outside, in its own session: removes the container if Supervisor is gone without having said that it is done. A
 * program inside cannot reach it.
 */
export const GUARD = `
read -r word <&3 && exit
exec "$@"`;

/**
 * Runs inside, before anything else: makes an execute-only copy of the image's shell on a small file system of this
 * container, and becomes that copy, which runs FIRST out of the program's reach (first-process.ts). The program owns
 * the file and can change it, but only after the last process of ours was started from it.
 */
export const COPY = `
cd /run/supervisor/first && { [ -w . ] || chmod 0700 .; } && cat /bin/sh >sh && chmod 0111 sh || exit 97
exec /run/supervisor/first/sh -c "$@"`;

/**
 * Runs inside, as the first process, with an empty environment. It refuses to continue if a process of its own user can
 * inspect it: such a process could forge the exit code.
 *
 * Its pipes lie in a directory mounted at START_DIR. `life`, whose other end only Supervisor holds open, brings the
 * words (container-words.ts), the answer to "ready", and an end of file when Supervisor is gone. Each pipe is first
 * opened for reading and writing, because that does not block: a Supervisor killed before this point never opens the
 * other end, and nobody would end a container that waits for it.
 *
 * The program starts only after the answer. Beside it stays a process of ours that reads on: "end" asks all processes
 * inside to end, the end of file kills them. When the program has ended, this process reports the exit code and how
 * many processes it left behind, then waits for the last word, so that the kernel's facts about the container's groups
 * can still be read. It ends with the same code, which the engine passes on: that one counts, and the report has to
 * agree (combined-end.ts). If the program is a line for /bin/sh, the same copy runs it: what the line starts cannot forge its
 * code either.
 */
export const FIRST = `
if [ -r /proc/1/environ ] && ( : </proc/1/environ ) 2>/dev/null; then echo 'programs inside can reach the first process' >&2; exit 97; fi
cd /run/supervisor/start || exit 97
exec 3<>report 8<>life 9<life 8<&- || exit 97
take() {
  IFS= read -r SANDBOX_FIRST_LINE <&9 || exit 98
  case $SANDBOX_FIRST_LINE in *\\\\*)
    SANDBOX_FIRST_LINE=$(printf '%b.' "$SANDBOX_FIRST_LINE")
    SANDBOX_FIRST_LINE=\${SANDBOX_FIRST_LINE%.} ;;
  esac
}
if [ -e input ]; then exec 4<input; else exec 4</dev/null; fi
exec 7<>stdout 5>stdout 7>&- 7<>stderr 6>stderr 7>&- || exit 97
take
SANDBOX_FIRST_N=$SANDBOX_FIRST_LINE
while [ "$SANDBOX_FIRST_N" -gt 0 ]; do
  take
  [ -w "$SANDBOX_FIRST_LINE" ] || chmod 0700 "$SANDBOX_FIRST_LINE" || exit 97
  SANDBOX_FIRST_N=$((SANDBOX_FIRST_N - 1))
done
take
cd -- "$SANDBOX_FIRST_LINE" || exit 97
take
[ -d "$SANDBOX_FIRST_LINE" ] || mkdir -p -m 700 -- "$SANDBOX_FIRST_LINE" || exit 97
take
SANDBOX_FIRST_VARIABLES=$SANDBOX_FIRST_LINE
take
SANDBOX_FIRST_N=$SANDBOX_FIRST_LINE
while [ "$SANDBOX_FIRST_N" -gt 0 ]; do
  take
  set -- "$@" "$SANDBOX_FIRST_LINE"
  SANDBOX_FIRST_N=$((SANDBOX_FIRST_N - 1))
done
echo ready >&3
take
(
  trap '' HUP INT QUIT TERM
  exec </dev/null >/dev/null 2>&1 3>&- 4<&- 5>&- 6>&-
  while read -r word <&9; do
    case $word in end) kill -TERM -1 ;; esac
  done
  kill -KILL -1
) &
SANDBOX_FIRST_N=$!
exec 2>&3
trap '' HUP INT QUIT TERM
(
  trap - HUP INT QUIT TERM
  exec <&4 >&5 2>&6 3>&- 4<&- 5>&- 6>&- 9<&-
  unset PWD OLDPWD SHLVL PATH
  while [ "$SANDBOX_FIRST_VARIABLES" -gt 0 ]; do
    export -- "$1"
    shift
    SANDBOX_FIRST_VARIABLES=$((SANDBOX_FIRST_VARIABLES - 1))
  done
  case "$1 \${2-}" in '/bin/sh -c')
    [ $# -gt 3 ] || set -- "$@" "$1"
    shift
    set -- /run/supervisor/first/sh "$@" ;;
  esac
  case \${BASH_VERSION-} in ?*) set -- env -u _ "$@" ;; esac
  exec "$@"
)
code=$?
exec 2>/dev/null 4<&- 5>&- 6>&-
kill -KILL "$SANDBOX_FIRST_N"
wait "$SANDBOX_FIRST_N"
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
read -r word <&9
exit "$code"`;
