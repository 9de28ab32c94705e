/** When no tool chain says how to test: a `test` target of a Makefile, or a test script. */
import type { Found, Part } from './found.ts';

const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
const SCRIPTS = [
  'test.sh',
  'tests.sh',
  'run-tests.sh',
  'run_tests.sh',
  'runtests.sh',
  'run-tests',
  'run_tests',
  'test',
];

export function detectPlain({ names, executables, texts }: Found): Part | null {
  const targets = new Map(MAKEFILES.map((name) => [name, targetsOf(texts.get(name) ?? '')]));
  for (const target of ['test', 'check']) {
    const makefile = MAKEFILES.find((name) => targets.get(name)?.has(target));
    if (makefile === undefined) continue;
    const reason = `${makefile} has a target \`${target}\``;
    // Make takes a file or a folder of that name for the target itself, finds it up to date, and runs nothing.
    const hidden = (names.has(target) || names.has(`${target}/`)) && !isPhony(texts.get(makefile) ?? '', target);
    return hidden
      ? part('make', `make -B ${target}`, `${reason}, and -B makes it although \`${target}\` is there`)
      : part('make', `make ${target}`, reason);
  }
  const script = SCRIPTS.find((name) => executables.has(name));
  return script === undefined ? null : part('script', `./${script}`, `${script} is there and can be executed`);
}

/** `test:` alone or among other targets; not a variable, and not a line of a recipe. */
function targetsOf(text: string): Set<string> {
  return new Set(
    text.split('\n').flatMap((line) => {
      const [targets = '', rest] = line.split(':', 2);
      return rest === undefined || rest.startsWith('=') || /^[\t#]/.test(line) ? [] : targets.split(/\s+/);
    }),
  );
}

const isPhony = (text: string, target: string): boolean =>
  text.split('\n').some((line) => /^\.PHONY[ \t]*:/.test(line) && line.split(/[\s:]+/).includes(target));

const part = (tool: string, command: string, reason: string): Part => ({
  tool,
  gate: { command, ids: null, reason },
  checks: [],
  environment: null,
  notes: [],
});
