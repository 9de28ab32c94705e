/**
 * Detects what a repository is, how it is tested and what it needs for that, from names and a few texts; runs nothing.
 */
import type { GateKind } from '../gates/gate-config.ts';
import { below, type Detector, slug } from './below.ts';
import { type Pipeline, pipelines } from './ci.ts';
import { detectCargo, detectGo } from './compiled.ts';
import { composeServices } from './compose.ts';
import { dependenciesOf } from './dependencies.ts';
import { detectGradle, detectMaven } from './java.ts';
import { detectNode } from './node.ts';
import { otherLanguage } from './other-languages.ts';
import { type PackView, suggestPacks } from './packs.ts';
import { dirName, isAside } from './paths.ts';
import { detectPlain, makeTest, preferMake } from './plain.ts';
import { detectPython } from './python.ts';
import { reportOf } from './report.ts';
import type {
  Check,
  RepositoryFacts,
  SuggestedEnvironment,
  SuggestedGate,
  ToolChainFacts,
} from './repository-facts.ts';
import { type SuggestedService, suggestServices } from './services.ts';
import { type Fact, stackOf } from './stack.ts';

export type NamedGate = Omit<SuggestedGate, 'command'> & {
  readonly name: string;
  /** Null if its name says it. */
  readonly kind: GateKind | null;
  /** Null if its kind brings its own checks. */
  readonly command: string | null;
  readonly blocking: boolean;
};

export type Suggestion = {
  readonly stack: readonly Fact[];
  readonly packs: readonly PackView[];
  readonly gates: readonly NamedGate[];
  /** Possible gates, if a person says that their tools exist. */
  readonly ideas: readonly NamedGate[];
  readonly environment: SuggestedEnvironment | null;
  readonly services: readonly SuggestedService[];
  readonly knowledge: Knowledge;
  readonly notes: readonly string[];
};

const TOOL_CHAINS: readonly (readonly [Detector, RegExp])[] = [
  [detectNode, /^package\.json$/],
  [detectPython, /^(?:pyproject\.toml|requirements\.txt|setup\.py|manage\.py)$/],
  [detectGo, /^go\.mod$/],
  [detectCargo, /^Cargo\.toml$/],
  [detectMaven, /^pom\.xml$/],
  [detectGradle, /^build\.gradle(?:\.kts)?$/],
  [detectFoundry, /^foundry\.toml$/],
];

/** Lists at most this many commands of a pipeline. */
const MOST_TOLD = 5;

/** `packs`: the roles of each installed skill pack. */
export function detect(found: RepositoryFacts, packs: ReadonlyMap<string, readonly string[]>): Suggestion {
  const product = withoutAside(found);
  const dependencies = { product: dependenciesOf(product, 'product'), all: dependenciesOf(product, 'all') };
  const services = composeServices(product);
  const chains = TOOL_CHAINS.flatMap(
    ([detector, manifests]): readonly (ToolChainFacts & { readonly dir?: string })[] => {
      const look: Detector = (one) => preferMake(one, detector(one));
      const top = look(found);
      if (top === null) return below(found, manifests, look);
      // Often the top holds only what all folders share.
      return top.gate === null ? [top, ...below(found, manifests, look).filter((part) => part.gate !== null)] : [top];
    },
  );
  // A Makefile at the top is preferred to guesses in folders.
  const plain = chains.some((part) => part.gate !== null && part.make === undefined) ? null : plainOf(found, chains);
  const parts =
    plain === null
      ? withoutRepeats(chains)
      : [plain, ...chains.map((part): ToolChainFacts => ({ ...part, gate: null }))];
  const { gates, ideas } = gatesOf(parts);
  const runs = pipelines(found);
  const other = parts.some((part) => part.gate !== null) ? null : otherLanguage(found);
  return {
    stack: [...stackOf(found, dependencies, services), ...runners(gates)],
    packs: suggestPacks({ found: product, ...dependencies, services }, packs),
    gates,
    ideas: [...(gates.some((gate) => gate.blocking) ? [] : hints(runs, other)), ...ideas],
    environment: joined(parts),
    services: suggestServices(services),
    knowledge: knowledgeOf(found),
    notes: [
      ...parts.flatMap((part) => part.notes),
      ...(other === null ? [] : [other.note]),
      ...[...new Set(runs.map(({ service }) => service))].flatMap((service) => {
        const tests = new Set(runs.filter((run) => run.service === service).flatMap((run) => run.tests));
        return tests.size === 0 ? [] : [`${service} tests with: ${[...tests].slice(0, MOST_TOLD).join('; ')}`];
      }),
    ],
  };
}

function plainOf(found: RepositoryFacts, chains: readonly ToolChainFacts[]): ToolChainFacts | null {
  const make = makeTest(found);
  const guessed = chains.some((part) => part.gate !== null);
  return guessed && (make === null || make.blockedBy !== null) ? null : detectPlain(found);
}

/** One Makefile target tests all tool chains beside it: it runs once, with the longest prefix. */
function withoutRepeats<P extends ToolChainFacts & { readonly dir?: string }>(parts: readonly P[]): P[] {
  const isMake = ({ gate }: ToolChainFacts) =>
    gate !== null && /(?:^| )make (?:-B )?(?:test|check)$/.test(gate.command);
  const longer = (a: P, b: P) => (b.gate?.command.length ?? 0) > (a.gate?.command.length ?? 0);
  return parts.map((part, n) => {
    const others = parts.filter((other, m) => m !== n && isMake(other) && other.dir === part.dir);
    const repeated =
      isMake(part) && others.some((other) => longer(part, other) || (!longer(other, part) && parts.indexOf(other) < n));
    return repeated ? { ...part, gate: null } : part;
  });
}

/** Runners that no file names, because they come with the language. */
function runners(gates: readonly NamedGate[]): Fact[] {
  const unittest = gates.find(({ command }) => command?.includes(' -m unittest '));
  return unittest === undefined ? [] : [{ kind: 'test runner', name: 'unittest', by: unittest.reason }];
}

/** Examples do not show what a product is made of. */
const withoutAside = (found: RepositoryFacts): RepositoryFacts => ({
  ...found,
  paths: found.paths.filter((path) => !isAside(dirName(path))),
  texts: new Map([...found.texts].filter(([path]) => !isAside(dirName(path)))),
});

/** Tests first: other gates add to them. */
function gatesOf(parts: readonly (ToolChainFacts & { readonly dir?: string })[]): Pick<Suggestion, 'gates' | 'ideas'> {
  const taken = new Set<string>();
  const named = (name: string, tool: string, dir: string | undefined): string => {
    const choices = [name, `${name}-${tool}`, `${name}-${tool}-${slug(dir ?? 'top')}`];
    const free = choices.find((one) => !taken.has(one)) ?? `${choices[2]}-${taken.size}`;
    taken.add(free);
    return free;
  };
  // The first is simply `tests`: the name whose timeout suits tests.
  const tests = parts.flatMap(({ tool, dir, gate }) =>
    gate === null ? [] : [testsGate(named('tests', tool, dir), gate)],
  );
  const checks = parts.flatMap(({ tool, dir, checks }) =>
    checks.map((check) => ({
      sure: check.sure,
      // Without tests, other gates must not make a change look checked: `run` refuses until a person names some.
      gate: gateOf(check, named(check.name, tool, dir), check.sure && tests.length > 0),
    })),
  );
  const sure = checks.filter((check) => check.sure).map(({ gate }) => gate);
  const ideas = checks.filter((check) => !check.sure).map(({ gate }) => gate);
  return tests.length > 0
    ? { gates: [...tests, ...sure, ...BUILT_IN], ideas }
    : { gates: sure, ideas: [...ideas, ...BUILT_IN] };
}

function testsGate(name: string, gate: SuggestedGate): NamedGate {
  const kind = name === 'tests' || gate.ids !== null ? null : 'tests';
  const report = gate.report ?? reportOf(gate.command);
  return { name, kind, ...gate, ...(report === null ? {} : { report }), blocking: true };
}

/** Linters and types block. A formatter only informs: existing files are seldom formatted by the same version. */
function gateOf({ name: kind, command, reason }: Check, name: string, mayBlock: boolean): NamedGate {
  const blocking = mayBlock && (kind === 'lint' || kind === 'types');
  return { name, kind: KINDS[kind] === name ? null : KINDS[kind], command, ids: null, reason, blocking };
}

/** A coverage gate has to say which report it writes, so that one stays a plain command. */
const KINDS: Readonly<Record<Check['name'], GateKind>> = {
  lint: 'lint',
  format: 'lint',
  types: 'types',
  coverage: 'command',
  e2e: 'tests',
};

/** Built-in gates, which look only at what a change touches. */
const BUILT_IN: readonly NamedGate[] = [
  {
    name: 'syntax',
    kind: 'syntax',
    command: null,
    ids: null,
    reason: 'changed shell, Python, JSON and YAML files must still parse',
    blocking: true,
  },
  {
    name: 'security',
    kind: 'security',
    command: null,
    ids: null,
    reason: 'a change must bring no secret, no dangerous construct and no critical dependency',
    blocking: true,
  },
];

/** If nothing else says how to test it, its pipeline or language may; a person has to confirm. */
function hints(runs: readonly Pipeline[], other: SuggestedGate | null): NamedGate[] {
  const [hint] = runs.flatMap(({ service, path, tests }) =>
    tests.slice(0, 1).map((command) => ({ service, path, command })),
  );
  const idea = hint === undefined ? other : { command: hint.command, reason: `${hint.service} runs it (${hint.path})` };
  if (idea === null) return [];
  const { command, reason } = idea;
  return [{ name: 'tests', kind: null, command, ids: null, reason, blocking: true }];
}

/** A project has one environment: several tool chains are prepared one after the other. */
function joined(parts: readonly ToolChainFacts[]): SuggestedEnvironment | null {
  const all = parts.flatMap(({ environment }) => (environment === null ? [] : [environment]));
  if (all.length === 0) return null;
  return {
    prepare: all.map((one) => one.prepare).join(' && '),
    key: [...new Set(all.flatMap((one) => one.key))],
    outputs: [...new Set(all.flatMap((one) => one.outputs))],
    env: Object.assign({}, ...all.map((one) => one.env)),
    reason: all.map((one) => one.reason).join('; '),
  };
}

/**
 * Instructions in a repository for those who work on it: files that every worker gets, and others that could be named.
 */
type Knowledge = {
  /** Read without any config. */
  readonly read: readonly string[];
  /** Similar files that are read only if `knowledge.paths` names them. */
  readonly more: readonly string[];
};

const READ = /^(?:AGENTS\.md|CLAUDE\.md|GEMINI\.md|docs\/knowledge\/.+)$/;
const MORE =
  /^(?:\.github\/copilot-instructions\.md|\.cursorrules|\.windsurfrules|\.clinerules|CONVENTIONS\.md|CONTRIBUTING\.md|ARCHITECTURE\.md)$/;

const knowledgeOf = ({ paths }: Pick<RepositoryFacts, 'paths'>): Knowledge => ({
  read: paths.filter((path) => READ.test(path)),
  more: paths.filter((path) => MORE.test(path)),
});

/** Solidity with foundry; hardhat is a Node package and detected there. */
function detectFoundry({ texts }: RepositoryFacts): ToolChainFacts | null {
  const settings = texts.get('foundry.toml');
  if (settings === undefined) return null;
  return {
    tool: 'forge',
    gate: { command: 'forge test --offline', ids: null, reason: 'foundry.toml is there' },
    checks: [
      { name: 'format', command: 'forge fmt --check', reason: 'it comes with forge', sure: false },
      { name: 'coverage', command: 'forge coverage', reason: 'it comes with forge', sure: false },
    ],
    environment: null,
    notes: /^[ \t]*solc[ \t]*=/m.test(settings)
      ? []
      : [
          'forge downloads a compiler where it has none, which a gate cannot: name an installed one in foundry.toml (solc = "…")',
        ],
  };
}
