/** Which offered tool does what a turn wants, and with which arguments. */

import { exampleOf } from './example.ts';
import type { JsonSchema, ModelRequest, OfferedTool } from './model-request.ts';
import type { Turn } from './scenario.ts';

export type ToolCall =
  | { readonly tool: string; readonly takes: 'json'; readonly input: Readonly<Record<string, unknown>> }
  | { readonly tool: string; readonly takes: 'free'; readonly text: string };

/** Returns null if no offered tool can do it. */
export function callFor({ write, run, call }: Turn, { tools }: Pick<ModelRequest, 'tools'>): ToolCall | null {
  if (call !== undefined) return { tool: call.tool, takes: 'json', input: call.input };
  if (write === undefined) return run === undefined ? null : shell(tools, run);
  const byTool = writing(tools, write);
  const byShell = shell(tools, writeCommand(write));
  return isForShell(tools, write) ? (byShell ?? byTool) : (byTool ?? byShell);
}

/** Copilot's tool makes no directories, and says so. */
const isForShell = (tools: readonly OfferedTool[], { path, replace }: Write): boolean =>
  replace ||
  (path.includes('/') &&
    tools.some(({ name, description }) => WRITERS.test(name) && /parent director\w+ must exist/i.test(description)));

type Write = NonNullable<Turn['write']>;

/** The CLIs' own tools for it, by name and arguments. */
const WRITERS = /^(?:write|write_file|create|create_file)$/i;
const PATHS = ['file_path', 'filePath', 'path'];
const CONTENTS = ['content', 'file_text', 'contents', 'text'];

function writing(tools: readonly OfferedTool[], { path, text }: Write): ToolCall | null {
  for (const { name, schema } of tools.filter((tool) => WRITERS.test(tool.name))) {
    const [to, content] = [named(schema, PATHS), named(schema, CONTENTS)];
    if (to !== null && content !== null) return filled(name, schema, { [to]: path, [content]: text });
  }
  const patch = tools.find((tool) => tool.name === 'apply_patch');
  // A patch knows only whole lines.
  if (patch === undefined || !text.endsWith('\n')) return null;
  const body = `*** Begin Patch\n*** Add File: ${path}\n${text.replace(/\n$/, '').replace(/^/gm, '+')}\n*** End Patch\n`;
  if (patch.takes === 'free') return { tool: patch.name, takes: 'free', text: body };
  const input = named(patch.schema, ['input', 'patch']);
  return input === null ? null : filled(patch.name, patch.schema, { [input]: body });
}

const SHELLS = /^(?:bash|shell|shell_command|exec_command|local_shell|run_shell_command|run_in_terminal|execute)$/i;
const COMMANDS = ['cmd', 'command'];

function shell(tools: readonly OfferedTool[], command: string): ToolCall | null {
  for (const { name, schema } of tools.filter((tool) => SHELLS.test(tool.name))) {
    const field = named(schema, COMMANDS);
    if (field === null) continue;
    const isList = schema.properties?.[field]?.type === 'array';
    return filled(name, schema, { [field]: isList ? ['bash', '-c', command] : command });
  }
  const script = tools.find((tool) => tool.takes === 'free' && tool.name === 'exec');
  if (script === undefined) return null;
  return { tool: script.name, takes: 'free', text: `${scriptOf(command)}\n` };
}

/** Codex continues before the end of a command that takes longer than ten seconds, unless told to wait. */
const PATIENCE_MS = 60_000;

/** For tools that run JavaScript, which has the shell as a function. */
const scriptOf = (command: string): string =>
  `const done = await tools.exec_command(${JSON.stringify({ cmd: command, yield_time_ms: PATIENCE_MS })});\ntext(JSON.stringify(done));`;

/** The text stays data throughout. Nothing is substituted either: Gemini refuses `$(…)`. */
function writeCommand({ path, text }: Write): string {
  const bytes = btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  const made = folder === '' ? '' : `mkdir -p -- ${quoted(folder)} && `;
  return `${made}printf %s ${bytes} | base64 -d >${quoted(path)}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const named = (schema: JsonSchema, names: readonly string[]): string | null =>
  names.find((name) => Object.hasOwn(schema.properties ?? {}, name)) ?? null;

/** Fills every other required field with something harmless. */
function filled(tool: string, schema: JsonSchema, input: Readonly<Record<string, unknown>>): ToolCall {
  const rest = (schema.required ?? []).filter((name) => !Object.hasOwn(input, name));
  const extra = rest.map((name) => [name, exampleOf(schema.properties?.[name] ?? {})] as const);
  return { tool, takes: 'json', input: { ...Object.fromEntries(extra), ...input } };
}
