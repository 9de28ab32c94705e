/** CI pipelines: their service, and which of their commands look like tests. Hints for a person; nothing runs them. */
import { terminalLine } from '../../kernel/terminal-text.ts';
import { baseName } from './paths.ts';
import { isCiFile } from './read-files.ts';
import type { RepositoryFacts } from './repository-facts.ts';

export type Pipeline = {
  readonly service: string;
  readonly path: string;
  /** Test commands that work outside the pipeline. */
  readonly tests: readonly string[];
  /** True also if its test commands only work inside the pipeline. */
  readonly runsTests: boolean;
};

const SERVICES: readonly (readonly [RegExp, string])[] = [
  [/^\.github\//, 'GitHub Actions'],
  [/^\.gitlab-ci\.yml$/, 'GitLab CI'],
  [/^\.circleci\//, 'CircleCI'],
  [/^azure-pipelines\.yml$/, 'Azure Pipelines'],
  [/^\.travis\.yml$/, 'Travis CI'],
  [/^Jenkinsfile$/, 'Jenkins'],
];

/** `uv run --locked --group dev tox`, `CI=1 npx vitest`: what may precede a test runner. */
const BEFORE =
  /^(?:[A-Za-z_]\w{0,50}=\S{0,100} +){0,5}(?:(?:uv|uvx|pipx|poetry|pdm|hatch|pipenv|python[\d.]{0,5}|npx|pnpm exec|yarn exec|xvfb-run)\b[^;|&]{0,120}? )?(?:(?:ba)?sh )?/
    .source;
const RUNNERS = [
  /(?:npm|pnpm|yarn|bun)(?: -\S{1,40})* (?:run )?(?:test\b|check(?![\w:-]))/,
  /(?:vitest|jest|mocha|ava|cypress run|karma start|playwright test|hardhat test)(?![\w-])/,
  /(?:-m )?(?:pytest|py\.test|unittest|tox|nox)(?![\w-])/,
  /(?:python[\d.]{0,5} )?manage\.py test\b/,
  /(?:coverage|python[\d.]{0,5}) (?:run )?-m (?:pytest|unittest)\b/,
  /(?:go|richgo|cargo|forge|dotnet|swift|mix|rake|task|just|composer) test\b/,
  /(?:cargo nextest|gotestsum|ginkgo|(?:\.\/|vendor\/bin\/)?(?:simple-)?phpunit(?! install)|bundle exec rspec|rspec)\b/,
  /mage (?:-\S{1,20} )*(?:\w{1,30}:)?(?:test|check)\w{0,20}(?:\s|$)/,
  /mvn\b.{0,80} (?:test|verify)\b/,
  /(?:\.\/)?gradlew?\b.{0,80} (?:test|check)\b/,
  /make (?:-\S{1,20} )*(?:[\w.-]*test[\w.-]*|check|ci)(?:\s|$)/,
  /(?:\.\/)?(?:(?:scripts?|bin|ci|tools)\/)?(?:run[-_])?tests?(?:(?:[-_]\w{1,30})?\.(?:sh|py))?(?:\s|$)/,
]
  .map((one) => one.source)
  .join('|');
const TESTS = new RegExp(`${BEFORE}(?:${RUNNERS})`);
/** Commands that name a test runner but test nothing. */
const NO_TESTS =
  /\binstall\b|^uv (?:sync|lock|export)\b|--codspeed|-DskipTests|-Dmaven\.test\.skip|--install-only|--collect-only|(?:\s-[es]|--sessions?)[ =]["']?(?:lint|docs?|typing|types?|style|mypy|build|release)|^tests?(?:\s|$)/;
const MOST_COMMANDS = 3;

/** Pipelines that run tests first: `ci.yml` and `test.yml` before others. */
export function pipelines({ texts }: Pick<RepositoryFacts, 'texts'>): Pipeline[] {
  return [...texts]
    .filter(([path]) => isCiFile(path))
    .map(([path, text]) => {
      const commands = text.split('\n').flatMap(testOn);
      return {
        service: SERVICES.find(([file]) => file.test(path))?.[1] ?? 'CI',
        path,
        tests: [...new Set(commands.filter(isPortable))].sort(topFirst).slice(0, MOST_COMMANDS),
        runsTests: commands.length > 0,
      };
    })
    .sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
}

function rank({ path, tests, runsTests }: Pipeline): number {
  if (!runsTests) return 4;
  const name = baseName(path).replace(/\.ya?ml$/, '');
  const named = /^(?:ci|tests?|main)$/i.test(name) ? 0 : /(?:^|[-_])(?:ci|tests?)(?:$|[-_])/i.test(name) ? 1 : 2;
  return named + (tests.length === 0 ? 1 : 0);
}

/** A line of a list, of a block, or after `run:`. */
function testOn(line: string): string[] {
  if (line.length > 300) return [];
  const command = line
    .trim()
    .replace(/^- /, '')
    .trim()
    .replace(/^(?:run|script|sh|command):?\s+/, '')
    .replace(/^["'](.*)["']$/, '$1');
  // `${{ env.CARGO }} test`: such a variable is named after its program.
  const named = command.replaceAll(/\$\{\{ ?env\.(\w{1,50}) ?\}\}/g, (_, name: string) => name.toLowerCase());
  const parts = named.split(/&&|;/).map((part) => part.trim());
  return parts.some((part) => TESTS.test(part) && !NO_TESTS.test(part)) ? [terminalLine(command)] : [];
}

/** Variables of the pipeline mean nothing elsewhere, and a continued line is no whole command. */
const isPortable = (command: string): boolean => !command.includes('${') && !/[\\|>]$/.test(command);

/** Tests of a folder say less about the project. */
const topFirst = (a: string, b: string): number => Number(a.startsWith('cd ')) - Number(b.startsWith('cd '));
