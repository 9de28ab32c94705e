/** Pipelines: who runs them, and which of their commands look like tests. They are hints for a person; nothing runs by them. */
import { terminalLine } from '../../kernel/terminal-text.ts';
import type { Found } from './found.ts';
import { isCiFile } from './read-files.ts';

export type Pipeline = { readonly service: string; readonly path: string; readonly tests: readonly string[] };

const SERVICES: readonly (readonly [RegExp, string])[] = [
  [/^\.github\//, 'GitHub Actions'],
  [/^\.gitlab-ci\.yml$/, 'GitLab CI'],
  [/^\.circleci\//, 'CircleCI'],
  [/^azure-pipelines\.yml$/, 'Azure Pipelines'],
  [/^\.travis\.yml$/, 'Travis CI'],
  [/^Jenkinsfile$/, 'Jenkins'],
];

const TESTS =
  /^(?:(?:npm|pnpm|yarn|bun)(?: run)? (?:test|check)\b|npx (?:vitest|jest|mocha|playwright)\b|(?:uv run |poetry run |python3? -m )?pytest\b|python3? (?:-m unittest|manage\.py test)\b|tox\b|nox\b|go test\b|cargo (?:test|nextest)\b|mvn\b.{0,80} (?:test|verify)\b|(?:\.\/)?gradlew?\b.{0,80} (?:test|check)\b|forge test\b|make (?:test|check)\b|(?:npx )?hardhat test\b)/;
const MOST_COMMANDS = 3;

export function pipelines({ texts }: Pick<Found, 'texts'>): Pipeline[] {
  return [...texts]
    .filter(([path]) => isCiFile(path))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, text]) => ({
      service: SERVICES.find(([file]) => file.test(path))?.[1] ?? 'CI',
      path,
      tests: [...new Set(text.split('\n').flatMap(testOn))].slice(0, MOST_COMMANDS),
    }));
}

/** A line as it stands in a list, in a block, or behind `run:`. Variables of the pipeline mean nothing elsewhere. */
function testOn(line: string): string[] {
  if (line.length > 300) return [];
  const command = line
    .trim()
    .replace(/^- /, '')
    .trim()
    .replace(/^(?:run|script|sh|command):?\s+/, '')
    .replace(/^["'](.*)["']$/, '$1');
  return TESTS.test(command) && !command.includes('${{') && !/[\\|>]$/.test(command) ? [terminalLine(command)] : [];
}
