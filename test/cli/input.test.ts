/** UI-07, 08, 16..19 and friends: bad input is named with its place, exit code 2, nothing started, nothing written. */
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { World } from '../support/cli.ts';

const RUN = ['run', 'x', '--script'];

async function refused(content: string | Uint8Array, ...expected: string[]): Promise<void> {
  using world = new World();
  const { code, stderr } = await world.run([...RUN, world.file('script.yaml', content)]);
  for (const part of expected) expect(stderr).toContain(part);
  expect(stderr).not.toContain('    at ');
  expect(code).toBe(2);
  expect(existsSync(world.state)).toBe(false);
}

describe('a script file', () => {
  test('UI-07: a repeated key is an error with its place', () =>
    refused('steps: {}\nsteps: {}\n', 'script.yaml:2:1', 'unique'));
  test('UI-07: an unknown key is an error that names the nearest known one', () =>
    refused('stpes: {}\n', 'script.yaml:1:1', 'did you mean `steps`?'));
  test('UI-07: an unknown key deeper down is found too', () =>
    refused('steps:\n  implement:\n    - {outcom: ok}\n', 'script.yaml:3:8', 'did you mean `outcome`?'));
  test('UI-01: a broken quote has file, line and caret', () => refused('steps:\n\t- b: "x', 'script.yaml:2:', '^'));
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
    return refused(`${levels.join('\n')}\n`, 'too complex');
  });
  test('UI-03: merge keys are refused', () => refused('a: &a {x: 1}\nsteps: {<<: *a}\n', 'merge keys'));
  test('UI-04: __proto__ is not a key', () => refused('__proto__: {polluted: yes}\n', '`__proto__` is not a key'));
  test('UI-06: a tag is refused', () => refused('steps: !!js/function "function(){}"\n', 'script.yaml:1:8'));
  test('UI-08: an empty file is a clear error', () => refused('', 'is empty'));
  test('UI-08: only comments is a clear error', () => refused('# nothing\n', 'is empty'));
  test('UI-08: two documents are refused', () => refused('steps: {}\n---\nsteps: {}\n', 'more than one document'));
  test('UI-08: UTF-16 is refused with the reason', () =>
    refused(Buffer.from('\ufeffsteps: {}\n', 'utf16le'), 'UTF-16'));
  test('UI-17: a byte that is not UTF-8 is named by its offset', () =>
    refused(Buffer.from([0x23, 0x20, 0x63, 0x61, 0x66, 0xe9, 0x0a]), 'byte 5'));
  test('UI-16: a huge file is refused before it is parsed', () =>
    refused(Buffer.alloc(50 << 20, 'x'), '52428800 bytes are too many'));
  test('UI-23: an escape sequence in a quoted line does not reach the terminal', async () => {
    using world = new World();
    const { stderr } = await world.run([
      ...RUN,
      world.file('script.yaml', 'steps: {"\\e]52;c;x\\a": 1}\nx\u001b[2J: 1\n'),
    ]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
    expect(stderr).not.toMatch(/[\u0007\u001b]/);
  });
  test('UI-08: a byte-order mark and CRLF are accepted', async () => {
    using world = new World();
    const { code, stderr } = await world.run([
      ...RUN,
      world.file('script.yaml', '\ufeffsteps:\r\n  implement:\r\n    - {after: 1ms}\r\n'),
    ]);
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
    const { code, stderr } = await world.run([
      'run',
      'x',
      '--script',
      world.file('s.yaml', 'steps: {implement: [{after: 300ms}]}\n'),
    ]);
    expect(code, stderr).toBe(0);
  });
  test('a budget of 0 means zero, not unlimited: the task waits and says for what', async () => {
    using world = new World();
    world.userConfig('limits: {budget: {project_usd: 0}, task_age: 1s}\n');
    const { code, stdout } = await world.run(['run', 'x', '--simulate']);
    expect(stdout).toContain('older than task_age');
    expect(code).toBe(4);
    expect(stdout).not.toContain('attempt 1 begins');
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
