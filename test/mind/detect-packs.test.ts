/** Which packs `init` suggests, by the plan's table, and what it says a repository is made of. */
import { describe, expect, test } from 'vitest';
import { config } from '../../src/mind/config/project-config.ts';
import { asSuggested } from '../../src/mind/detect/choose.ts';
import { configText } from '../../src/mind/detect/config-text.ts';
import { detect } from '../../src/mind/detect/detect.ts';
import { parseFile, problemText } from '../../src/mind/fields/parse-file.ts';
import { foundIn, PACKS } from './detect-found.ts';

type Files = Readonly<Record<string, string>>;
const found = (files: Files) => detect(foundIn(files), PACKS);
const json = (value: object) => JSON.stringify(value);
const needs = (...names: string[]) =>
  json({ scripts: { test: 'x' }, dependencies: Object.fromEntries(names.map((name) => [name, '1'])) });
const suggested = (files: Files) => asSuggested(found(files)).packs;
const facts = (files: Files, kind: string) =>
  found(files).stack.flatMap((fact) => (fact.kind === kind ? [fact.name] : []));

function parsed(text: string) {
  const read = parseFile(config, text, 'config.yaml');
  if (read.type === 'problem') throw new Error(problemText(read));
  return read.value;
}
describe('packs of the table', () => {
  const compose = 'services:\n  db:\n    image: postgres:16\n';
  test.each<[string, Files, string[], string[]]>([
    ['react', { 'package.json': needs('react') }, ['web'], ['ui_designer', 'component_builder', 'state_architect']],
    ['vue', { 'package.json': needs('vue') }, ['web'], ['ui_designer']],
    ['pandas', { 'requirements.txt': 'numpy\nPandas>=2 # x\n' }, ['data'], ['data_engineer', 'schema_guard']],
    ['airflow', { 'requirements.txt': 'apache_airflow[aws]==2\n' }, ['data'], ['etl_architect']],
    ['postgres', { 'docker-compose.yml': compose }, ['backend', 'databases'], ['db_optimizer', 'backend_dev']],
    ['*.sol', { 'contracts/a/Vault.sol': '' }, ['smart_contracts'], ['smart_contract_auditor']],
    ['Cargo.toml', { 'Cargo.toml': '' }, ['rust'], ['rust_dev', 'memory_safety_reviewer']],
    ['go.mod', { 'go.mod': '' }, ['go'], ['go_dev', 'concurrency_reviewer']],
  ])('%s', (_, files, packs, roles) => {
    expect(suggested(files)).toEqual(packs);
    const brought = found(files).packs.flatMap((pack) => (pack.suggested ? pack.roles : []));
    expect(brought).toEqual(expect.arrayContaining(roles));
    expect(parsed(configText(found(files))).packs).toEqual(packs);
  });

  test('every shipped pack is listed, and says why it is off', () => {
    const { packs } = found({});
    expect(packs.map((pack) => pack.name).sort()).toEqual([...PACKS.keys()].sort());
    for (const { suggested, reason } of packs)
      expect([suggested, reason]).toEqual([false, expect.stringMatching(/^no /)]);
    expect(packs.find((pack) => pack.name === 'data')?.reason).toContain('no pandas or airflow');
    const none = configText(found({}));
    expect(parsed(none).packs).toBeUndefined();
    // Both marks taken away, it is right.
    expect(parsed(none.replace('# packs:', 'packs:').replace('#   - data ', '  - data ')).packs).toEqual(['data']);
  });

  test('a pack that is off is on when its mark is taken away', () => {
    const text = configText(found({ 'go.mod': '' })).replace('  # - data ', '  - data ');
    expect(parsed(text).packs).toEqual(['go', 'data']);
  });

  test.each<[string, Files]>([
    ['a comment', { 'requirements.txt': '# pandas\n-r pandas.txt\n' }],
    ['the name of the project', { 'pyproject.toml': '[project]\nname = "pandas"\nkeywords = ["pandas"]\n' }],
    ['an example', { 'examples/a/package.json': needs('react'), 'docs/requirements.txt': 'pandas' }],
    ['what another one needs', { 'go.mod': 'require (\n\tgithub.com/spf13/cobra v1 // indirect\n)\n' }],
    [
      'an image of that name elsewhere',
      { 'compose.yaml': 'x-a:\n  db:\n    image: postgres\nservices:\n  a:\n    build: .\n' },
    ],
  ])('%s does not count', (_, files) => {
    expect(suggested(files).filter((pack) => pack !== 'go')).toEqual([]);
  });

  test.each<[string, Files, string]>([
    ['poetry', { 'pyproject.toml': '[tool.poetry.group.x.dependencies]\nflask = "^3"\n' }, 'backend'],
    [
      'a list over lines',
      { 'pyproject.toml': '[project]\ndependencies = [\n  "httpx[http2]",\n  "FastAPI>=0.1",\n]\n' },
      'backend',
    ],
    ['groups', { 'pyproject.toml': '[dependency-groups]\ndev = ["mypy"]\n' }, 'types'],
    ['cargo tables', { 'Cargo.toml': '[dependencies.clap]\nversion = "4"\n' }, 'cli_tools'],
    ['a program of Rust', { 'Cargo.toml': '[[bin]]\nname = "rg"\n' }, 'cli_tools'],
    ['go', { 'go.mod': 'require github.com/jackc/pgx/v5 v5.1.0\n' }, 'databases'],
    ['maven', { 'pom.xml': '<artifactId>spring-boot-starter-security</artifactId>' }, 'security'],
    ['gradle', { 'build.gradle': "implementation 'info.picocli:picocli:4.7'" }, 'cli_tools'],
    ['a Dockerfile', { 'deploy/Dockerfile': '' }, 'infrastructure'],
    ['ccxt', { 'requirements.txt': 'ccxt' }, 'trading'],
  ])('%s', (_, files, pack) => {
    expect(suggested(files)).toContain(pack);
  });
});

describe('facts', () => {
  test.each<[string, Files, string[]]>([
    ['languages', { 'a.ts': '', 'b.tsx': '', 'c.py': '' }, ['TypeScript', 'Python']],
    [
      'frameworks',
      { 'package.json': needs('next', 'react'), 'requirements.txt': 'Django' },
      ['React', 'Next.js', 'Django'],
    ],
    [
      'test runner',
      { 'package.json': json({ scripts: { test: 'node --test' } }), 'go.mod': '' },
      ['go test', 'node:test'],
    ],
    ['linter', { 'package.json': needs('eslint'), '.golangci.yml': '' }, ['eslint', 'golangci-lint']],
    ['formatter', { 'package.json': needs('prettier'), 'requirements.txt': 'black' }, ['prettier', 'black']],
    ['coverage', { 'package.json': needs('c8'), 'requirements.txt': 'pytest-cov' }, ['c8', 'pytest-cov']],
    [
      'packages',
      { 'package.json': json({ workspaces: ['a'] }), 'pnpm-lock.yaml': '', 'uv.lock': '' },
      ['uv', 'pnpm workspaces'],
    ],
    ['services', { 'deploy/compose.dev.yml': 'services:\n  a: \n    image: "docker.io/library/redis:7"\n' }, ['redis']],
    ['CI', { '.github/workflows/ci.yml': '', '.gitlab-ci.yml': '' }, ['GitHub Actions', 'GitLab CI']],
  ])('%s', (kind, files, names) => {
    expect(facts(files, kind)).toEqual(names);
  });
});
