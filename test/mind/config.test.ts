/** Files that people write: read strictly, and every problem is reported with its place. */
import { describe, expect, test } from 'vitest';
import { notForProjects, unknownCli } from '../../src/mind/config/cascade.ts';
import { config } from '../../src/mind/config/project-config.ts';
import { parseFile, problemText } from '../../src/mind/fields/parse-file.ts';
import { playFor, script } from '../../src/mind/workers/script.ts';
import { scriptOf } from '../../src/mind/workers/task-script.ts';
import { cpuSeconds } from '../support/cpu.ts';

const parse = (text: string) => parseFile(config, text, 'config.yaml');
const problem = (text: string) => {
  const parsed = parse(text);
  return parsed.type === 'problem' ? `${parsed.line}:${parsed.column} ${parsed.message}` : 'no problem';
};
const value = (text: string) => {
  const parsed = parse(text);
  return parsed.type === 'parsed' ? parsed.value : problemText(parsed);
};

describe('a config file', () => {
  test('says what `workflow` holds, where a name stands in its place', () => {
    expect(problem('workflow: enterprise\n')).toBe(
      '1:11 workflow: must be keys and values, such as {template: standard}',
    );
  });

  test('is a typed value with durations in milliseconds', () => {
    expect(value('limits:\n  attempts: 2\n  wall: 5m\n')).toEqual({ limits: { attempts: 2, wall: 300_000 } });
  });

  test('has every key of the schema, with its defaults', () => {
    const text = `
gates:
  - {name: tests, command: npm test, ids: vitest}
  - {name: lint, command: [biome, ci, .], timeout: 90, blocking: false, weight: 0.5, on_fail: escalate}
environment:
  prepare: npm ci
  key: [package-lock.json]
  outputs: [node_modules, /env/cache]
  env: {TZ: UTC}
  services: [{name: db, command: [postgres], ready: pg_isready, env: {PGPORT: "5433"}}]
clis:
  acme: {command: [acme-agent, --headless], output: jsonl, text_pointer: /result, env: [ACME_TOKEN]}
  other: {command: [/opt/other]}
default_cli: [acme, scripted]
tests: {paths: [test/, "*.test.ts"]}
protect: [src/api.ts]
`;
    expect(value(text)).toEqual({
      gates: [
        { name: 'tests', command: 'npm test', ids: 'vitest', blocking: true, on_fail: 'retry' },
        {
          name: 'lint',
          command: ['biome', 'ci', '.'],
          timeout: 90_000,
          blocking: false,
          weight: 0.5,
          on_fail: 'escalate',
        },
      ],
      environment: {
        prepare: 'npm ci',
        key: ['package-lock.json'],
        outputs: ['node_modules', '/env/cache'],
        env: { TZ: 'UTC' },
        services: [{ name: 'db', command: ['postgres'], ready: 'pg_isready', env: { PGPORT: '5433' } }],
      },
      clis: {
        acme: {
          command: ['acme-agent', '--headless'],
          output: 'jsonl',
          text_pointer: '/result',
          env: ['ACME_TOKEN'],
        },
        other: { command: ['/opt/other'] },
      },
      default_cli: ['acme', 'scripted'],
      tests: { paths: ['test/', '*.test.ts'] },
      protect: ['src/api.ts'],
    });
  });

  test.each([
    ['an unknown key', 'limits:\n  atempts: 2\n', /^2:3 unknown key `atempts`, did you mean `attempts`\?/],
    ['an unknown key of a gate', 'gates:\n  - {name: a, comand: b}\n', /^2:15 unknown key `comand`.*`command`\?/],
    ['an unknown key of a CLI', 'clis:\n  a: {command: [a], promt: stdin}\n', /^2:21 unknown key `promt`.*`prompt`\?/],
    ['a wrong type', 'limits:\n  attempts: many\n', /^2:13 limits\.attempts: /],
    ['a repeated key', 'gates: [{name: tests, command: a}]\ngates: []\n', /^2:1 .*unique/],
    ['nothing at all', '', /^1:1 is empty/],
    ['two documents', 'limits: {}\n---\nlimits: {}\n', /more than one document/],
    ['a merge key', 'limits:\n  <<: {}\n', /^2:3 merge keys/],
    ['a key that reaches for prototypes', '__proto__: {}\n', /^1:1 `__proto__` is not a key/],
    ['the same deeper down', 'environment:\n  env: {constructor: {x: 1}}\n', /^2:9 `constructor` is not a key/],
    ['bad syntax', 'limits: [\n', /^\d+:\d+ /],
    ['a list where a map belongs', '- a\n', /^1:\d+ /],
    [
      'two gates of one name',
      'gates:\n  - {name: a, command: b}\n  - {name: a, command: c}\n',
      /^3:12 .*two gates named a/,
    ],
    ['a gate without a command', 'gates:\n  - {name: a}\n', /^2:12 gates\.0\.name: needs a command, or checks/],
    ['an empty command', 'gates:\n  - {name: a, command: []}\n', /^2:24 .*name a program/],
    ['a zero byte in a command', 'gates:\n  - {name: a, command: "a\\0b"}\n', /^2:24 .*zero byte/],
    ['a CLI named like the built-in one', 'clis:\n  scripted: {command: [a]}\n', /^2:3 .*built in/],
    ['a CLI with a bad name', 'clis:\n  Bad Name: {command: [a]}\n', /^2:3 .*lower-case/],
    [
      'a CLI with a relative path',
      'clis:\n  a: {command: [./a, -x]}\n',
      /^2:17 clis\.a\.command\.0: .*bare name.*absolute/,
    ],
    [
      'json without a pointer',
      'clis:\n  a: {command: [a], output: json}\n',
      /^2:29 clis\.a\.output: json needs text_pointer/,
    ],
    ['jsonl without a pointer', 'clis:\n  a: {command: [a], output: jsonl}\n', /jsonl needs text_pointer/],
    ['a pointer into plain text', 'clis:\n  a: {command: [a], text_pointer: /x}\n', /^2:35 .*only for output json/],
    ['a pointer that is none', 'clis:\n  a: {command: [a], output: json, text_pointer: x}\n', /JSON pointer/],
    ['a variable with an equals sign', 'clis:\n  a: {command: [a], env: ["A=1"]}\n', /^2:27 .*no name of a variable/],
    [
      'a variable of the sandbox itself',
      'environment:\n  env: {PATH: /x}\n',
      /^2:3 environment: PATH belongs to the sandbox/,
    ],
    [
      'two services of one name',
      'environment:\n  services: [{name: a, command: b}, {name: a, command: b}]\n',
      /two services named a/,
    ],
    ['outputs inside each other', 'environment: {prepare: x, outputs: [a, a/b]}\n', /lies inside another one/],
    ['an empty default', 'default_cli: []\n', /^1:14 .*name a CLI/],
  ])('with %s is refused, with the place', (_, text, message) => {
    expect(problem(text)).toMatch(message);
  });

  describe('UI-13: paths stay inside the repository', () => {
    const fields = {
      'tests.paths': (path: string) => `tests: {paths: [src/, ${path}]}\n`,
      protect: (path: string) => `protect: [src/, ${path}]\n`,
      'environment.key': (path: string) => `environment: {key: [src, ${path}]}\n`,
      'environment.outputs': (path: string) => `environment: {prepare: x, outputs: [src, ${path}]}\n`,
    };
    const bad = [
      '/etc/passwd',
      '../../../etc/passwd',
      'src/../../x',
      '"~/.ssh/*"',
      '..',
      '"a\\\\..\\\\b"',
      './a',
      '"a//b"',
    ];
    const cases = Object.keys(fields).flatMap((field) => bad.map((path) => [field, path] as const));

    test.each(cases)('%s refuses %s and quotes it', (field, path) => {
      const text = fields[field as keyof typeof fields](path);
      const found = problem(text);
      expect(found).toMatch(/must be relative|must not leave|written as git does|control character/);
      expect(found.startsWith(`1:${text.indexOf(path) + 1} ${field}.1: `), found).toBe(true);
    });

    test.each(['/env/../etc', '/env//x', '/environment', '/env/a/..', '.git', '.git/hooks', '.supervisor'])(
      'an output at %s is refused',
      (path) => {
        expect(problem(`environment: {prepare: x, outputs: [${path}]}\n`)).toMatch(/^1:37 environment\.outputs\.0: /);
      },
    );

    test('a directory is no key file', () => {
      expect(problem('environment: {key: [src/]}\n')).toMatch(/must name a file/);
    });

    test('braces and exceptions are refused rather than read as something else', () => {
      expect(problem('protect: ["{a,b}{a,b}"]\n')).toMatch(/one pattern for each case/);
      expect(problem('protect: ["!a"]\n')).toMatch(/exceptions are not supported/);
    });
  });

  test('UI-02: cannot blow up by aliases', () => {
    const rows = Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(', ')}]`);
    expect(problem(`a0: &a0 [x]\n${rows.join('\n')}\n`)).toMatch(/alias/);
  });

  test('UI-03: a bomb of merge keys costs next to nothing', () => {
    const keys = Array.from({ length: 60_000 }, (_, n) => `k${n}: 1`).join(', ');
    const merge = `a: &a {${keys}}\nb: {<<: [${Array(20_000).fill('*a').join(', ')}]}\n`;
    // Merged, it would be 1,200 million keys; with each key compared with each, half a minute.
    expect(cpuSeconds(() => expect(problem(merge)).toMatch(/^2:5 merge keys|alias/))).toBeLessThan(10);
  });

  test('many keys cost no more than each alone, and a repeated one is found among them', () => {
    const keys = Array.from({ length: 60_000 }, (_, n) => `  K${n}: x\n`).join('');
    const read = () => problem(`environment:\n env:\n${keys}  K4000: y\n`);
    const said = '60003:3 keys must be unique: `K4000` is there twice';
    expect(cpuSeconds(() => expect(read()).toBe(said))).toBeLessThan(10);
  });

  test('nested too deep for the parser itself is a problem like any other', () => {
    expect(problem('['.repeat(50_000))).toMatch(/^1:\d+ is nested deeper than 64 levels/);
    const steps = Array.from({ length: 80 }, (_, n) => `${' '.repeat(n)}a:`).join('\n');
    expect(problem(`${steps} 1\n`)).toMatch(/^\d+:\d+ is nested deeper than 64 levels/);
  });

  test('has its problem shown with the line and a caret', () => {
    const parsed = parse('limits:\n  atempts: 2\n');
    expect(parsed.type === 'problem' ? problemText(parsed).split('\n').slice(1) : parsed).toEqual([
      '    atempts: 2',
      '    ^',
    ]);
  });
});

describe('a CLI that is chosen', () => {
  const acme = { clis: { acme: { command: ['acme'], prompt: 'stdin', output: 'text', env: [] } } } as const;
  const declared = structuredClone(acme) as never;

  test('must be declared, in the same file or in one below', () => {
    expect(unknownCli({ default_cli: ['scripted'] })).toBeNull();
    expect(unknownCli({ default_cli: ['acme'] }, declared)).toBeNull();
    expect(unknownCli({ default_cli: ['scripted', 'acne'] }, declared)).toMatchObject({
      path: ['default_cli', 1],
      message: expect.stringContaining('did you mean acme?'),
    });
  });

  test.each(['claude', 'codex', 'gemini', 'copilot', 'opencode', 'cursor'])('or is built in, as %s is', (cli) => {
    expect(unknownCli({ default_cli: [cli] })).toBeNull();
  });

  // The last two are adapters that need to be told whom to speak to.
  test.each(['constructor', 'valueof', 'acp', 'http'])('%s is none of them', (cli) => {
    expect(unknownCli({ default_cli: [cli] })?.message).toMatch(/there is no CLI .*known: scripted, claude/);
  });
});

describe('a built-in CLI in a config file', () => {
  const wrong = (text: string) => {
    const read = parseFile(config, text, 'config.yaml');
    return read.type === 'problem' ? `${read.line}:${read.column} ${read.message}` : null;
  };

  test.each([
    ['clis: {claude: {model: opus, effort: high, key: OWN, auth: key, egress: ["docs.example"]}}\n'],
    ['clis: {big: {adapter: claude, model: opus}}\n'],
    ['clis: {mine: {adapter: acp, command: [gemini, --acp]}}\n'],
    ['clis: {local: {adapter: http, base_url: "http://127.0.0.1:11434/v1", model: small}}\n'],
  ])('is fine: %s', (text) => {
    expect(wrong(text)).toBeNull();
  });

  test.each([
    ['a field of declared ones', 'clis:\n  claude: {output: json}\n', /^2:\d+ .*not for claude/],
    ['an unknown adapter', 'clis:\n  a: {adapter: clade}\n', /^2:\d+ .*no adapter clade \(known: claude/],
    ['an agent without a command', 'clis:\n  a: {adapter: acp}\n', /needs a command/],
    ['a server without an address', 'clis:\n  a: {adapter: http, model: x}\n', /needs base_url and model/],
    ['a model for a declared command', 'clis:\n  a: {command: [a], model: x}\n', /only for a built-in adapter/],
    ['a declared one without a command', 'clis:\n  a: {env: [A]}\n', /needs a command/],
    ['an address that is none', 'clis:\n  claude: {base_url: "ftp://x"}\n', /must be an address of http/],
    ['an address with a password', 'clis:\n  claude: {base_url: "https://a:b@x"}\n', /must be an address of http/],
    ['a place that is an address', 'clis:\n  claude: {egress: ["10.0.0.1:80"]}\n', /no address, no pattern/],
    ['a place that is a pattern', 'egress: {worker: ["*.example"]}\n', /no address, no pattern/],
    ['an unknown provider', 'clis:\n  claude: {provider: openai}\n', /no provider openai/],
  ])('is wrong with %s', (_, text, expected) => {
    expect(wrong(text)).toMatch(expected);
  });

  test.each([
    [{ claude: { base_url: 'https://x' } }, 'base_url'],
    [{ claude: { key: 'PATH' } }, 'key'],
    [{ codex: { command: ['codex', '--dangerous'] } }, 'command'],
    [{ big: { adapter: 'claude', auth: 'login' } }, 'auth'],
    [{ gemini: { egress: ['x.example'] } }, 'egress'],
    [{ gemini: { env: ['AWS_SECRET_ACCESS_KEY'] } }, 'env'],
  ])('a project may not say: %j', (clis, field) => {
    expect(notForProjects({ clis } as never)).toMatchObject({
      path: ['clis', Object.keys(clis)[0], field],
      message: expect.stringContaining('~/.supervisor/config.yaml'),
    });
  });

  test('a project may not choose its sandbox, and may name a model', () => {
    expect(notForProjects({ sandbox: { backend: 'podman' } })?.path).toEqual(['sandbox', 'backend']);
    expect(notForProjects({ clis: { claude: { model: 'x', effort: 'low' } } })).toBeNull();
    expect(notForProjects({ clis: { acme: { command: ['acme'], env: ['TOKEN'] } } })).toBeNull();
  });
});

describe('a script for the scripted worker', () => {
  const read = (text: string) => parseFile(script, text, 'script.yaml');
  const plays = (text: string, ...attempts: number[]) => {
    const parsed = read(text);
    if (parsed.type === 'problem') throw new Error(problemText(parsed));
    return attempts.map((attempt) => playFor(parsed.value, 'build', attempt));
  };

  test('plays one entry per attempt, and the last one again', () => {
    expect(plays('steps:\n  build:\n    - outcome: crash\n      after: 200ms\n    - says: done\n', 1, 2, 3)).toEqual([
      { outcome: 'crash', after: 200 },
      { says: 'done' },
      { says: 'done' },
    ]);
  });

  test('lets a step that it does not name succeed', () => {
    expect(plays('steps: {}\n', 1)).toEqual([{}]);
  });

  test('says what the worker really does: files, a command, how it ends', () => {
    const text = 'steps:\n  build:\n    - files: {src/a.ts: "x\\n", old.ts: null}\n      run: make\n      exit: 3\n';
    expect(plays(text, 1)).toEqual([{ files: { 'src/a.ts': 'x\n', 'old.ts': null }, run: 'make', exit: 3 }]);
  });

  test.each([
    ['a path outside', 'files: {../x: a}', /^2:20 .*must not leave the repository/],
    ['an absolute path', 'files: {/etc/x: a}', /^2:20 .*must be relative/],
    ['a directory', 'files: {src/: a}', /^2:20 .*must name a file/],
    ['a number for a file', 'files: {a: 1}', /^2:23 /],
    ['too long a file', `files: {a: "${'x'.repeat(500_001)}"}`, /longer than 500000/],
    ['a strange end', 'exit: 256', /^2:18 /],
    ['half an end', 'exit: 1.5', /whole number/],
    ['nothing to run', 'run: ""', /is empty/],
    ['a zero byte', 'run: "a\\0"', /zero byte/],
  ])('refuses %s', (_, field, message) => {
    const parsed = read(`steps:\n  build: [{${field}}]\n`);
    expect(parsed.type === 'problem' ? `${parsed.line}:${parsed.column} ${parsed.message}` : 'no problem').toMatch(
      message,
    );
  });

  test('means the same when a task carries it', () => {
    const parsed = read('steps: {build: [{after: 300ms, files: {a: null}}]}\nnotify: true\n');
    if (parsed.type === 'problem') throw new Error(problemText(parsed));
    expect(scriptOf({ version: 1, text: 'x', script: parsed.value })).toEqual(parsed.value);
    expect(scriptOf({ version: 1, text: 'x' })).toEqual({ steps: {} });
  });

  test('has no play for a step named like a part of every object', () => {
    expect(playFor({ steps: {} }, 'constructor', 1)).toEqual({});
  });

  test('refuses more than a thousand files', () => {
    const files = Array.from({ length: 1_001 }, (_, n) => `f${n}: x`).join(', ');
    expect(read(`steps:\n  build: [{files: {${files}}}]\n`)).toMatchObject({
      message: expect.stringContaining('1000 files'),
    });
  });
});
