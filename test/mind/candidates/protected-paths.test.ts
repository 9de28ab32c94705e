/** Paths that no task changes without a grant: every payload of the catalogue, and what it does not list. */
import { describe, expect, test } from 'vitest';
import { PROTECTED } from '../../../src/mind/candidates/protected-paths.ts';
import { globProblem } from '../../../src/mind/fields/globs.ts';
import { found } from './check.ts';

describe('refused', () => {
  test.each([
    // WT-01: tests, gate configuration, CI.
    ['~ test/a.test.js', 'tests'],
    ['+ conftest.py', 'gate_config'],
    ['+ pkg/deep/down/conftest.py', 'gate_config'],
    ['+ .eslintignore', 'gate_config'],
    ['~ .nycrc', 'gate_config'],
    ['+ .nycrc.json', 'gate_config'],
    ['~ .github/workflows/ci.yml', 'ci'],
    ['+ .github/workflows/new.yml', 'ci'],
    ['~ Makefile', 'gate_config'],
    ['+ GNUmakefile', 'gate_config'],
    ['+ jest.config.js', 'gate_config'],
    ['+ packages/a/vitest.config.mts', 'gate_config'],
    ['~ tsconfig.json', 'gate_config'],
    ['~ tsconfig.build.json', 'gate_config'],
    ['~ pyproject.toml', 'gate_config'],
    ['~ setup.cfg', 'gate_config'],
    ['~ tox.ini', 'gate_config'],
    ['+ pytest.ini', 'gate_config'],
    ['+ sitecustomize.py', 'gate_config'],
    ['+ src/usercustomize.py', 'gate_config'],
    ['+ .coveragerc', 'gate_config'],
    ['~ phpunit.xml.dist', 'gate_config'],
    ['~ .golangci.yml', 'gate_config'],
    ['~ biome.jsonc', 'gate_config'],
    ['~ eslint.config.mjs', 'gate_config'],
    ['~ Cargo.toml', 'gate_config'],
    ['~ crates/a/clippy.toml', 'gate_config'],
    ['~ .gitlab-ci.yml', 'ci'],
    ['~ Jenkinsfile', 'ci'],
    ['~ .circleci/config.yml', 'ci'],
    ['~ azure-pipelines.yml', 'ci'],
    ['~ .travis.yml', 'ci'],
    // What tests load instead of what they mean to.
    ['+ __mocks__/chai.js', 'gate_config'],
    ['+ unittest/__init__.py', 'gate_config'],
    ['+ tests/pytest/__init__.py', 'gate_config'],
    ['+ _pytest/__init__.py', 'gate_config'],
    ['+ pytest.pyc', 'gate_config'],
    ['+ iniconfig.py', 'gate_config'],
    ['+ sitecustomize/__init__.py', 'gate_config'],
    ['+ x-1.0.dist-info/entry_points.txt', 'gate_config'],
    ['> unittest', 'gate_config'],
    ['+ test/node_modules/chai/index.js', 'registry'],
    ['> src/node_modules', 'registry'],
    ['+ vendor/github.com/stretchr/testify/assert/assert.go', 'registry'],
    // WT-09: configuration and instructions of workers.
    ['+ .supervisor/config.yaml', 'agent_config'],
    ['+ .SUPERVISOR/config.yaml', 'agent_config'],
    ['+ packages/a/.Supervisor/roles/x.yaml', 'agent_config'],
    ['> .supervisor', 'agent_config'],
    ['+ .claude/settings.json', 'agent_config'],
    ['+ .Claude/Settings.json', 'agent_config'],
    ['+ .codex/config.toml', 'agent_config'],
    ['+ .CODEX/config.toml', 'agent_config'],
    ['+ .gemini/settings.json', 'agent_config'],
    ['+ .mcp.json', 'agent_config'],
    ['+ .MCP.JSON', 'agent_config'],
    ['+ .env', 'agent_config'],
    ['+ .Env', 'agent_config'],
    ['+ .env.local', 'agent_config'],
    ['~ AGENTS.md', 'agent_config'],
    ['+ agents.md', 'agent_config'],
    ['+ docs/Claude.md', 'agent_config'],
    ['+ GEMINI.md', 'agent_config'],
    ['+ .cursorrules', 'agent_config'],
    ['+ .cursor/rules/a.mdc', 'agent_config'],
    ['+ .github/copilot-instructions.md', 'agent_config'],
    ['+ .github/instructions/a.md', 'agent_config'],
    ['+ .aider.conf.yml', 'agent_config'],
    ['+ .windsurfrules', 'agent_config'],
    ['+ .windsurf/rules/a.md', 'agent_config'],
    ['+ opencode.json', 'agent_config'],
    // Names that other file systems take for these.
    ['+ .claude./settings.json', 'agent_config'],
    ['+ CLAUDE.md::$DATA', 'agent_config'],
    ['+ .c\u200claude/settings.json', 'agent_config'],
    ['+ .\u017fupervisor/config.yaml', 'agent_config'],
    ['+ AGENT\u017f.md ', 'agent_config'],
    // WT-17, the part of the registries.
    ['+ .npmrc', 'registry'],
    ['+ packages/a/.NPMRC', 'registry'],
    ['~ .yarnrc.yml', 'registry'],
    ['+ .yarn/releases/yarn-4.0.0.cjs', 'registry'],
    ['+ .pnpmfile.cjs', 'registry'],
    ['+ .pnp.cjs', 'registry'],
    ['+ bunfig.toml', 'registry'],
    ['+ pip.conf', 'registry'],
    ['+ .cargo/config.toml', 'registry'],
    ['+ .gitattributes', 'registry'],
    ['+ .gitmodules', 'registry'],
    // WT-22: what runs at a commit.
    ['+ .husky/pre-commit', 'hooks'],
    ['+ lefthook.yml', 'hooks'],
    ['+ .lefthook.toml', 'hooks'],
    ['+ .pre-commit-config.yaml', 'hooks'],
    ['+ .lintstagedrc.json', 'hooks'],
    ['+ .overcommit.yml', 'hooks'],
    ['+ .githooks/pre-push', 'hooks'],
    // WT-23: what runs when somebody looks.
    ['+ .vscode/tasks.json', 'editor'],
    ['+ .VSCode/tasks.json', 'editor'],
    ['+ .envrc', 'editor'],
    ['+ .devcontainer/devcontainer.json', 'editor'],
    ['+ .devcontainer.json', 'editor'],
    ['+ .idea/runConfigurations/a.xml', 'editor'],
    ['+ x.code-workspace', 'editor'],
    ['+ mise.toml', 'editor'],
    ['+ cfg/mise/config.toml', 'editor'],
    // However it is changed.
    ['- .github/workflows/ci.yml', 'ci'],
    ['> .github', 'ci'],
    ['@ Makefile', 'gate_config'],
    ['x .husky/pre-commit', 'hooks'],
  ])('%s: %s', (words, kind) => {
    expect(found([words])).toEqual([`${kind} ${words.slice(2)}`]);
  });
});

/** Names that a broad pattern could take for something else. */
test.each([
  ...['~ src/a.js', '+ src/new/deep/b.py', '- old.md', 'x bin/run', '> latest', '~ README.md'],
  ...[
    '~ src/Latest.java',
    '~ src/contest.js',
    '~ src/workspace.ts',
    '~ build/out.js',
    '~ src/tasks.py',
    '~ .gitignore',
  ],
  ...[
    '~ locales/en/auth.json',
    '~ app/res/xml/settings.xml',
    '~ src/environment.ts',
    '~ src/claude.ts',
    '~ hooks/use.ts',
  ],
  ...['~ models/weights.pth', '~ src/agents.ts', '~ docs/agents/a.md', '~ src/vendor/x.js', '~ src/root.ts', '~ .root'],
  ...[
    '~ go.mod',
    '~ requirements.txt',
    '~ src/jest/a.ts',
    '~ unittests/a.cc',
    '~ src/unittest.cpp',
    '~ docs/pytest.md',
    '~ src/cargo/config.ts',
    '~ docs/env.md',
    '~ src/spec/a.yaml',
  ],
])('free: %s', (words) => {
  expect(found([words])).toEqual([]);
});

test('every pattern is one that can be meant, and the data repeats nothing', () => {
  const all = PROTECTED.flatMap(({ patterns }) => patterns);
  expect(all.filter((pattern) => globProblem(pattern) !== null)).toEqual([]);
  expect(all.filter((pattern, i) => all.indexOf(pattern) !== i)).toEqual([]);
  // A link can stand for any directory above a name: then a path of two names is not seen. What lies in `.github` is.
  const paths = all.filter((pattern) => /[^/]\/[^/]/.test(pattern) && !pattern.startsWith('.github/'));
  expect(paths).toEqual([]);
});

describe('a grant', () => {
  test.each([
    ['tests', '~ test/a.test.js', 'test/**'],
    ['gate_config', '~ Makefile', 'Makefile'],
    ['ci', '~ .github/workflows/ci.yml', '.github/'],
    ['registry', '+ .npmrc', '.npmrc'],
    ['hooks', '+ .husky/pre-commit', '.husky/pre-commit'],
    ['editor', '+ .vscode/tasks.json', '.vscode/*.json'],
    ['agent_config', '~ AGENTS.md', 'AGENTS.md'],
  ])('lifts %s for what it names: %s', (kind, words, allow) => {
    expect(found([words])).toEqual([`${kind} ${words.slice(2)}`]);
    expect(found([words], { allow: [allow] })).toEqual([]);
    expect(found([words], { allow: ['src/**'] })).toEqual([`${kind} ${words.slice(2)}`]);
  });

  test.each(['+ .supervisor/config.yaml', '+ .SUPERVISOR/x', '> .supervisor', '- a/.supervisor/roles/x.yaml'])(
    'never reaches the configuration of Supervisor: %s',
    (words) => {
      const allow = ['**', '.supervisor/', '.SUPERVISOR/', words.slice(2)];
      expect(found([words], { allow })).toEqual([`agent_config ${words.slice(2)}`]);
    },
  );

  test('is told by the letter: another spelling of what it names is another path', () => {
    expect(found(['+ makefile'], { base: ['Makefile'], allow: ['Makefile'] })).toEqual(['gate_config makefile']);
  });
});
