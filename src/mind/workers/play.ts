/** The scripted worker as a real program: writes files, runs a command, prints something, ends; all in the sandbox. */
import type { AnswerKind } from '../answers/schemas.ts';
import { byteLength } from './call.ts';
import type { Play } from './script.ts';

type RealPlay = Pick<Play, 'files' | 'run' | 'says' | 'exit'>;

type PlayedStep = {
  readonly step: string;
  readonly number: number;
  readonly answer: AnswerKind;
  /** Open findings of earlier reviews. */
  readonly raised?: readonly { readonly id: string }[];
};

/** All values are arguments, contents come on standard input: no text is ever built into the script. */
const PLAYER = `
set -e
while [ $# -gt 0 ]; do
  case $1 in
    put)
      case $2 in */*) mkdir -p -- "\${2%/*}" ;; esac
      head -c "$3" >"$2"; shift 3 ;;
    drop) rm -rf -- "$2"; shift 2 ;;
    run) sh -c "$2" </dev/null; shift 2 ;;
    say) head -c "$2"; printf '\\n'; shift 2 ;;
    exit) exit "$2" ;;
    *) exit 97 ;;
  esac
done`;

export function playCall(
  play: RealPlay,
  attempt: PlayedStep,
): { readonly argv: readonly [string, ...string[]]; readonly input: string } {
  const files = Object.entries(play.files ?? {});
  const says = play.says ?? playedAnswer(play, attempt);
  const contents = files.flatMap(([, text]) => text ?? []);
  return {
    argv: [
      ...(['sh', '-c', PLAYER, 'play'] as const),
      ...files.flatMap(([path, text]) => (text === null ? ['drop', inTree(path)] : putWords(path, text))),
      ...(play.run === undefined ? [] : ['run', play.run]),
      ...['say', `${byteLength(says)}`],
      ...(play.exit === undefined ? [] : ['exit', `${play.exit}`]),
    ],
    input: [...contents, says].join(''),
  };
}

const putWords = (path: string, text: string): string[] => ['put', inTree(path), `${byteLength(text)}`];

/** A name may start with a dash. */
const inTree = (path: string): string => (path.startsWith('/') ? path : `./${path}`);

function playedAnswer({ files = {} }: RealPlay, { step, number, answer, raised = [] }: PlayedStep): string {
  const paths = Object.keys(files);
  const earlier = raised.map(({ id }) => ({ finding: id, became: 'fixed', reason: 'it was played' }));
  const what = `attempt ${number} of ${step} was played`;
  const byKind: Readonly<Record<AnswerKind, object>> = {
    // The script does not say whether they are new: listed as both they are neither a wrong nor a missing claim.
    implementation: { status: 'SUCCESS', action_taken: what, files_created: paths, files_modified: paths },
    review: { status: 'APPROVED', earlier, notes: what },
    plan: { status: 'COMPLETE', phases: PLAYED_PHASES, estimated_components: 1, notes: what },
    brainstorm: { status: 'COMPLETE', problem: what, users: [what], goals: [what], limits: [what], risks: [what] },
    document: { status: 'COMPLETE', requirements: PLAYED_REQUIREMENTS, notes: what },
    test: { status: 'SUCCESS', files_created: paths, files_modified: paths, notes: what },
    security: { status: 'APPROVED', earlier, notes: what },
    generic: { status: 'SUCCESS', notes: what },
  };
  return `\`\`\`json\n${JSON.stringify(byKind[answer], null, 2)}\n\`\`\``;
}

/** A scripted plan covers the criteria of a scripted document, so that one can be handed to the other. */
const PLAYED_REQUIREMENTS = [
  { id: 'R1', requirement: 'It was played', criteria: [{ id: 'R1.1', criterion: 'exit code 0', check: 'true' }] },
];
const PLAYED_PHASES = [
  { name: 'played', components: [{ name: 'played', files: [], acceptance: ['exit code 0'], covers: ['R1.1'] }] },
];
