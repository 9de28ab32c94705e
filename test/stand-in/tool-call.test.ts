/** Which of the tools that a CLI offers is called, and that the shell way writes the very same bytes. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonSchema, OfferedTool } from '../../src/mind/stand-in/model-request.ts';
import { readResponses } from '../../src/mind/stand-in/responses.ts';
import { checkedScenario } from '../../src/mind/stand-in/scenario.ts';
import { callFor } from '../../src/mind/stand-in/tool-call.ts';

const turnOf = (input: Parameters<typeof checkedScenario>[0]['turns'][number]) =>
  checkedScenario({ turns: [input] }).turns[0]!;

const WRITE = turnOf({ write: { path: 'a.txt', text: 'A\n' } });
const RUN = turnOf({ run: 'ls' });

const json = (
  name: string,
  properties: Record<string, JsonSchema>,
  required = Object.keys(properties),
): OfferedTool => ({
  name,
  takes: 'json',
  schema: { type: 'object', properties, required },
  description: '',
});
const free = (name: string): OfferedTool => ({ name, takes: 'free', schema: {}, description: '' });
const S: JsonSchema = { type: 'string' };

const PATCH = '*** Begin Patch\n*** Add File: a.txt\n+A\n*** End Patch\n';

test.each<[string, OfferedTool[], unknown]>([
  [
    'claude',
    [json('Bash', { command: S }), json('Write', { file_path: S, content: S })],
    { file_path: 'a.txt', content: 'A\n' },
  ],
  ['gemini', [json('write_file', { file_path: S, content: S })], { file_path: 'a.txt', content: 'A\n' }],
  ['opencode', [json('write', { content: S, filePath: S })], { filePath: 'a.txt', content: 'A\n' }],
  ['copilot', [json('create', { path: S, file_text: S })], { path: 'a.txt', file_text: 'A\n' }],
  ['a patch', [json('apply_patch', { input: S })], { input: PATCH }],
])('a file is written with the tool for it: %s', (_name, tools, input) => {
  expect(callFor(WRITE, { tools })).toEqual({ tool: tools.at(-1)?.name, takes: 'json', input });
});

test('the shell does what a tool for files cannot: directories for Copilot, files that are there for all', () => {
  const shell = json('bash', { command: S });
  const create = {
    ...json('create', { path: S, file_text: S }),
    description: '* Parent directories must exist before',
  };
  const toolFor = (write: { path: string; text: string; replace?: boolean }, tools: OfferedTool[]) =>
    callFor(turnOf({ write }), { tools })?.tool;
  expect(toolFor({ path: 'a', text: 'A' }, [create, shell])).toBe('create');
  expect(toolFor({ path: 'd/a', text: 'A' }, [create, shell])).toBe('bash');
  expect(toolFor({ path: 'd/a', text: 'A' }, [create])).toBe('create');
  expect(toolFor({ path: 'd/a', text: 'A' }, [{ ...create, description: '' }, shell])).toBe('create');
  expect(toolFor({ path: 'a', text: 'A', replace: true }, [create, shell])).toBe('bash');
});

test('a free tool gets text: a patch, or a script that has the shell', () => {
  expect(callFor(WRITE, { tools: [free('exec'), free('apply_patch')] })).toEqual({
    tool: 'apply_patch',
    takes: 'free',
    text: PATCH,
  });
  expect(callFor(RUN, { tools: [free('exec')] })).toMatchObject({
    tool: 'exec',
    text: expect.stringContaining('tools.exec_command({"cmd":"ls","yield_time_ms":60000})'),
  });
});

test.each<[string, OfferedTool, unknown]>([
  ['a line', json('exec_command', { cmd: S }), { cmd: 'ls' }],
  ['a list', json('shell', { command: { type: 'array' } }), { command: ['bash', '-c', 'ls'] }],
  [
    'what else must be there',
    json('bash', { command: S, description: S, wait: { type: 'number' }, maybe: S }, [
      'command',
      'description',
      'wait',
    ]),
    { command: 'ls', description: 'stand-in', wait: 1 },
  ],
])('a command is run with the shell that is offered: %s', (_name, tool, input) => {
  expect(callFor(RUN, { tools: [tool] })).toEqual({ tool: tool.name, takes: 'json', input });
});

test('a call is made as it is written; without a tool for it there is no call', () => {
  const call = turnOf({ call: { tool: 'mcp__x', input: { a: 1 } } });
  expect(callFor(call, { tools: [] })).toEqual({ tool: 'mcp__x', takes: 'json', input: { a: 1 } });
  expect(callFor(WRITE, { tools: [json('write', { where: S })] })).toBeNull();
  expect(callFor(RUN, { tools: [] })).toBeNull();
});

test('through a shell, the file has the very same bytes, whatever they are', () => {
  const dir = mkdtempSync(join(tmpdir(), 'shell-'));
  try {
    const text = 'it\'s "$HOME" `id` \\n ünïcode 🎉\nno newline at the end';
    const turn = turnOf({ write: { path: "deep/it's here.txt", text } });
    const call = callFor(turn, { tools: [json('shell', { command: { type: 'array' } })] });
    if (call?.takes !== 'json') throw new Error('no call of a shell');
    const [program = '', ...words] = call.input['command'] as string[];
    execFileSync(program, words, { cwd: dir });
    expect(readFileSync(join(dir, "deep/it's here.txt"), 'utf8')).toBe(text);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('tools are found where models of OpenAI get them: beside, in the history, in a namespace', () => {
  const one = (name: string) => ({ type: 'function', name, parameters: {} });
  const { tools } = readResponses({
    tools: [one('a'), { type: 'namespace', name: 'n', tools: [one('b')] }, { type: 'web_search' }],
    input: [{ type: 'additional_tools', tools: [{ type: 'custom', name: 'exec' }] }],
  });
  expect(tools.map(({ name, takes }) => [name, takes])).toEqual([
    ['a', 'json'],
    ['b', 'json'],
    ['exec', 'free'],
  ]);
});
