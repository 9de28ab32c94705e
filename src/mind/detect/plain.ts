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

export function detectPlain({ executables, texts }: Found): Part | null {
  const makefile = MAKEFILES.find((name) => (texts.get(name) ?? '').split('\n').some(isTestTarget));
  if (makefile !== undefined) return part('make', 'make test', `${makefile} has a target \`test\``);
  const script = SCRIPTS.find((name) => executables.has(name));
  return script === undefined ? null : part('script', `./${script}`, `${script} is there and can be executed`);
}

/** `test:` alone or among other targets; not a variable, and not a line of a recipe. */
function isTestTarget(line: string): boolean {
  const [targets = '', rest] = line.split(':', 2);
  return rest !== undefined && !rest.startsWith('=') && !/^[\t#]/.test(line) && targets.split(/\s+/).includes('test');
}

const part = (tool: string, command: string, reason: string): Part => ({
  tool,
  gate: { command, ids: null, reason },
  environment: null,
  notes: [],
});
