/** UI-01..08, 13, 16..19, 23: bad input is named with its place, exit code 2, nothing started, nothing written. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Result, World } from '../support/cli.ts';

type Content = string | Uint8Array;

/** Every kind of file that people write for `run`: its name, a key it knows, and a run that meets it. */
const KINDS: readonly {
  readonly kind: string;
  readonly file: string;
  readonly key: string;
  meet(world: World, content: Content): Promise<Result>;
}[] = [
  {
    kind: 'a script',
    file: 'script.yaml',
    key: 'steps',
    meet: (world, content) => world.run(['run', 'x', '--simulate', '--script', world.file('script.yaml', content)]),
  },
  {
    kind: "the person's config",
    file: join('home', '.supervisor', 'config.yaml'),
    key: 'gates',
    meet(world, content) {
      world.userConfig(content);
      return world.run(['run', 'x', '--simulate']);
    },
  },
  {
    kind: "a project's config",
    file: join('repository', '.supervisor', 'config.yaml'),
    key: 'gates',
    meet(world, content) {
      projectConfig(world, content);
      return world.run(['run', 'x', '--simulate']);
    },
  },
];

function projectConfig(world: World, content: Content): void {
  mkdirSync(join(world.repository, '.supervisor'), { recursive: true });
  writeFileSync(join(world.repository, '.supervisor', 'config.yaml'), content);
}

describe.each(KINDS)('$kind', ({ file, key, meet }) => {
  async function refused(content: Content, place: string, ...expected: string[]): Promise<void> {
    using world = new World();
    const { code, stderr, stdout } = await meet(world, content);
    for (const part of [join(world.dir, file) + place, ...expected]) expect(stderr).toContain(part);
    expect(stderr).not.toContain('    at ');
    expect([code, stdout]).toEqual([2, '']);
    expect(existsSync(world.state)).toBe(false);
  }

  test('UI-01: a tab and a broken quote have file, line, column and caret', () =>
    refused(`${key}:\n\t- b: "x`, ':2:1: ', '\n  \t- b: "x', '\n  ^'));
  test('UI-02: an alias bomb is refused', () => {
    const levels = 'abcdefghi'.split('').map(
      (name, n) =>
        `${name}: &${name} [${
          n === 0
            ? 'x,x,x,x,x,x,x,x,x'
            : Array(9)
                .fill(`*${'abcdefghi'[n - 1]}`)
                .join(',')
        }]`,
    );
    return refused(`${levels.join('\n')}\n`, ':2:', 'too complex');
  });
  test('UI-03: merge keys are refused', () => refused(`a: &a {x: 1}\n${key}: {<<: *a}\n`, ':2:', 'merge keys'));
  test('UI-04: __proto__ is not a key, at the top or below', async () => {
    await refused('__proto__: {polluted: yes}\n', ':1:1: ', '`__proto__` is not a key');
    await refused(`${key}:\n  <<: {__proto__: {x: 1}}\n`, ':2:3: ', 'merge keys');
  });
  test('UI-06: a tag is refused', () =>
    refused(`${key}: !!js/function "function(){}"\n`, `:1:${key.length + 3}: `, 'tag'));
  test('UI-07: a repeated key is an error with its place', () =>
    refused(`${key}: {}\n${key}: {}\n`, ':2:1: ', 'unique', `\n  ${key}: {}\n  ^`));
  test('UI-07: an unknown key is an error that names the nearest known one', () =>
    refused(`${key}x: {}\n`, ':1:1: ', `did you mean \`${key}\`?`));
  test('UI-08: an empty file is a clear error', () => refused('', ':1:1: ', 'is empty'));
  test('UI-08: only comments is a clear error', () => refused('# nothing\n', ':', 'is empty'));
  test('UI-08: two documents are refused', () =>
    refused(`${key}: {}\n---\n${key}: {}\n`, ':2:', 'more than one document'));
  test('UI-08: UTF-16 is refused with the reason', () =>
    refused(Buffer.from(`\ufeff${key}: {}\n`, 'utf16le'), ': ', 'UTF-16'));
  test('UI-16: a huge file is refused before it is parsed', () =>
    refused(Buffer.alloc(50 << 20, 'x'), ': ', '52428800 bytes are too many'));
  test('UI-17: a byte that is not UTF-8 is named by its offset', () =>
    refused(Buffer.from([0x23, 0x20, 0x63, 0x61, 0x66, 0xe9, 0x0a]), ': ', 'byte 5'));
  test('UI-23: an escape sequence in a quoted line does not reach the terminal', async () => {
    using world = new World();
    const { stderr, code } = await meet(world, `${key}: {"\\e]52;c;x\\a": 1} # \u001b[2J\n`);
    expect(stderr).toContain('\\u001b');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
    expect(stderr).not.toMatch(/[\u0007\u001b]/);
    expect(code).toBe(2);
  });
});

describe('mistakes that only some of the files can have', () => {
  const refused =
    (content: string, ...expected: string[]) =>
    async () => {
      for (const { file, key, meet } of KINDS.filter((one) => one.key === 'gates')) {
        using world = new World();
        const { code, stderr } = await meet(world, content);
        expect(stderr, key).toContain(join(world.dir, file));
        for (const part of expected) expect(stderr).toContain(part);
        expect([code, existsSync(world.state)]).toEqual([2, false]);
      }
    };
  test(
    'UI-07: two gates of one name',
    refused('gates:\n- {name: t, command: a}\n- {name: t, command: b}\n', ':3:10: '),
  );
  test(
    'UI-13: a path that leaves the repository',
    refused('protect: [../../../etc/passwd]\n', ':1:11: ', '../etc/passwd'),
  );
  test('UI-13: a path of a home directory', refused('tests: {paths: ["~/.ssh/*"]}\n', ':1:17: ', '~/.ssh/*'));
  test(
    'a CLI that is not declared',
    refused('default_cli: [claud]\n', ':1:15: ', 'no CLI claud, did you mean claude?'),
  );
  test('a CLI by a relative path', refused('clis: {a: {command: [bin/a]}}\n', ':1:22: ', 'absolute path'));
  test('json without a place for the text', refused('clis: {a: {command: [a], output: json}}\n', 'text_pointer'));

  test('UI-07: an unknown key deep in a script is found too', async () => {
    using world = new World();
    const script = world.file('script.yaml', 'steps:\n  implement:\n    - {outcom: ok}\n');
    const { code, stderr } = await world.run(['run', 'x', '--simulate', '--script', script]);
    for (const part of ['script.yaml:3:8', 'did you mean `outcome`?']) expect(stderr).toContain(part);
    expect(code).toBe(2);
  });

  test('UI-08: a byte-order mark and CRLF are accepted', async () => {
    using world = new World();
    world.userConfig('\ufefflimits:\r\n  attempts: 2\r\n');
    const script = world.file('script.yaml', '\ufeffsteps:\r\n  implement:\r\n    - {after: 1ms}\r\n');
    const { code, stderr } = await world.run(['run', 'x', '--simulate', '--script', script]);
    expect(code, stderr).toBe(0);
  });
});

describe('UI-18: numbers in the user config', () => {
  const bad =
    (field: string, ...expected: string[]) =>
    async () => {
      using world = new World();
      world.userConfig(`limits:\n  ${field}\n`);
      const { code, stderr } = await world.run(['run', 'x', '--simulate']);
      for (const part of ['config.yaml:2:', ...expected]) expect(stderr).toContain(part);
      expect(code).toBe(2);
      expect(existsSync(world.state)).toBe(false);
    };
  test('a negative count', bad('slots: {total: -1}'));
  test('not a number', bad('slots: {total: .nan}'));
  test('infinity', bad('attempts: .inf'));
  test('a number far too large', bad('attempts: 1e9'));
  test('a number in quotes', bad('attempts: "4"'));
  test('a duration no timer can hold', bad('wall: 99999999999999', 'must be a duration'));
  test('a word for a duration', bad('wall: soon', 'must be a duration'));
  test('a duration beyond what one timer holds is split, not fired at once', async () => {
    using world = new World();
    world.userConfig('limits: {task_age: 60d, wall: 2147483648}\n');
    expect((await world.run(['run', 'x', '--simulate'])).code).toBe(2);
    world.userConfig('limits: {task_age: 60d, wall: 40d}\n');
    const script = world.file('s.yaml', 'steps: {implement: [{after: 300ms}]}\n');
    const { code, stderr } = await world.run(['run', 'x', '--simulate', '--script', script]);
    expect(code, stderr).toBe(0);
  });
  test('a budget of 0 means zero, not unlimited: the task ends at once, and says why', async () => {
    using world = new World();
    world.userConfig('limits: {budget: {project_usd: 0}}\n');
    const script = world.file('script.yaml', "steps: {implement: [{files: {a.txt: 'x'}}]}\n");
    const { code, stdout } = await world.run(['run', 'x', '--script', script, '--gate', 'tests=true']);
    expect(stdout).toContain("the project's budget is used up: $0.00 of $0.00 (limits.budget.project_usd)");
    expect(stdout).toContain('raise limits.budget.project_usd, then `supervisor resume');
    expect(code).toBe(4);
    expect(stdout).not.toContain('attempt 1');
    // Playing costs nothing, so no budget holds it up.
    expect((await world.run(['run', 'x', '--simulate'])).code).toBe(0);
  });
});

describe('UI-19: the command line', () => {
  const misuse =
    (args: string[], ...expected: string[]) =>
    async () => {
      using world = new World();
      const { code, stderr } = await world.run(args);
      for (const part of expected) expect(stderr).toContain(part);
      expect(code).toBe(2);
      expect(existsSync(world.state)).toBe(false);
    };
  test('an unknown flag names the nearest', misuse(['run', 'x', '--simulat'], 'did you mean --simulate?'));
  test('an unknown command names the nearest', misuse(['statsu'], 'did you mean `status`?'));
  test('so does help on one', misuse(['help', 'statsu'], 'did you mean `status`?'));
  test('a missing value', misuse(['run', 'x', '--script'], '--script needs a value'));
  test('a flag is never taken for a value', misuse(['run', 'x', '--script', '--simulate'], '--script needs a value'));
  test('a value that starts with a dash must be joined', misuse(['run', 'x', '--script', '-rf'], '--script=-rf'));
  test('a flag given twice', misuse(['run', 'x', '--script', 'a', '--script', 'b'], 'given twice'));
  test('a switch with a value', misuse(['run', 'x', '--simulate=yes'], 'takes no value'));
  test('a task without quotes', misuse(['run', 'fix', 'it', '--simulate'], 'in quotes'));
  test('nothing to do', misuse(['run', '  ', '--simulate'], 'TEXT is empty'));
  test('a device is no script', misuse(['run', 'x', '--script', '/dev/null'], 'not a regular file'));
  test('an unknown shell', misuse(['completion', 'tcsh'], 'bash, zsh and fish'));
  test('words after -- are words', async () => {
    using world = new World();
    const { code, stdout } = await world.run(['run', '--simulate', '--', '--not-a-flag']);
    expect(stdout).toContain('--not-a-flag');
    expect(code).toBe(0);
  });
});
