/** What the project itself calls its tests: a Makefile's `test` target, or a test script. */
import type { RepositoryFacts, SuggestedGate, ToolChainFacts } from './repository-facts.ts';

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

/** A testing target of the Makefile; `blockedBy`: a program in its recipe that a gate cannot run. */
type MakeTest = SuggestedGate & { readonly blockedBy: string | null; readonly recipe: string };

export function makeTest({ names, texts }: Pick<RepositoryFacts, 'names' | 'texts'>): MakeTest | null {
  for (const target of ['test', 'check']) {
    const makefile = MAKEFILES.find((name) => targetsOf(texts.get(name) ?? '').has(target));
    if (makefile === undefined) continue;
    const text = texts.get(makefile) ?? '';
    const recipe = recipeOf(text, target);
    const reason = `${makefile} has a target \`${target}\``;
    // Make takes a file or folder of that name for the target itself, finds it up to date, and runs nothing.
    const hidden = (names.has(target) || names.has(`${target}/`)) && !isPhony(text, target);
    return {
      command: hidden ? `make -B ${target}` : `make ${target}`,
      ids: null,
      reason: hidden ? `${reason}, and -B makes it although \`${target}\` is there` : reason,
      blockedBy: NEEDS_NETWORK.exec(recipe)?.[1]?.trim() ?? null,
      recipe,
    };
  }
  return null;
}

/** Prefers the project's own test target to a guess, unless the target needs the network. */
export function preferMake(found: RepositoryFacts, part: ToolChainFacts | null): ToolChainFacts | null {
  if (part?.make === undefined || part.gate === null) return part;
  const own = makeTest(found);
  if (own === null) return part;
  const { command, reason, recipe, blockedBy } = own;
  if (blockedBy !== null) {
    const note = `\`${command}\` is not suggested: it runs \`${blockedBy}\`, and a gate has no network`;
    return { ...part, notes: [...part.notes, note] };
  }
  const { ids } = part.gate;
  // Names of failed tests are read as before if the recipe calls the same runner.
  const same = ids !== null && RUNNERS[ids].test(recipe);
  const gate = { command: `${part.make.prefix}${command}`, ids: same ? ids : null, reason };
  const { make: _, ...rest } = part;
  return { ...rest, gate };
}

const RUNNERS: Readonly<Record<NonNullable<SuggestedGate['ids']>, RegExp>> = {
  pytest: /\bpytest\b/,
  unittest: /\bunittest\b/,
  tap: /--test-reporter[= ]tap\b/,
  vitest: /\bvitest\b/,
  jest: /\bjest\b/,
  go: /(?:\bgo|\$[({]GO[)}]) test\b/i,
  cargo: /(?:\bcargo|\$[({]CARGO[)}]) test\b/i,
};

/** Containers, downloads, and tools that install packages. `go get` needs no network if the modules are there. */
const NEEDS_NETWORK =
  /(?:^|[\s;&|@(])((?:docker|podman|docker-compose|kubectl|vagrant|curl|wget|tox|nox)(?=\s|$)|(?:npm|pnpm) (?:ci|i|install)\b|yarn install\b|(?:pip3?|-m pip|pipenv|poetry|bundle|cargo|go|brew|apt-get|apt) install\b|uv (?:sync|pip)\b|git clone\b)/m;

export function detectPlain(found: RepositoryFacts): ToolChainFacts | null {
  const make = makeTest(found);
  if (make !== null)
    return {
      ...part('make', make.command, make.reason),
      notes:
        make.blockedBy === null
          ? []
          : [`\`${make.command}\` runs \`${make.blockedBy}\`, and a gate has no network: it may have to be replaced`],
    };
  const script = SCRIPTS.find((name) => found.executables.has(name));
  return script === undefined ? null : part('script', `./${script}`, `${script} is there and can be executed`);
}

const MOST_TARGETS = 50;

/** What make would run for a target and its dependencies, without comments and printed texts. */
function recipeOf(text: string, target: string): string {
  const lines = text.slice(0, MOST_TEXT).split('\n');
  const wanted = new Set([target]);
  const recipe: string[] = [];
  for (const one of wanted) {
    if (wanted.size > MOST_TARGETS) break;
    let inside = false;
    for (const line of lines) {
      if (line.startsWith('\t')) {
        const command = line.replace(/^[\t @+-]+/, '');
        if (inside && !/^(?:#|echo\b|printf\b|\$\((?:info|warning) )/.test(command)) recipe.push(command);
        continue;
      }
      if (line.trim() === '' || line.startsWith('#')) continue;
      const [targets = '', rest] = line.split(/::?(?!=)/, 2);
      inside = rest !== undefined && targets.split(/\s+/).includes(one);
      if (!inside) continue;
      const [needed = '', first] = (rest ?? '').split('#')[0]?.split(';') ?? [];
      for (const name of needed.split(/\s+/)) if (name !== '') wanted.add(name);
      if (first !== undefined) recipe.push(first.trim());
    }
  }
  return recipe.join('\n');
}

const MOST_TEXT = 1 << 18;

/** `test:` alone or among other targets; no variable and no line of a recipe. */
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

const part = (tool: string, command: string, reason: string): ToolChainFacts => ({
  tool,
  gate: { command, ids: null, reason },
  checks: [],
  environment: null,
  notes: [],
});
