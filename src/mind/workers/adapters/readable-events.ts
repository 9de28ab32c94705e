/** A CLI's events in words, for people who watch: what it says and does. Decides nothing. */
import { at, textAt } from './fields.ts';

const MAX_WORDS = 200;

/**
 * One transcript line for people; null if there is nothing worth showing. A line that is no event is shown unchanged.
 */
export function inWords(line: string): string | null {
  const [, mark = '', body = line] = /^([|!] )?(.*)$/s.exec(line) ?? [];
  if (!body.startsWith('{')) return line;
  let event: unknown;
  try {
    event = JSON.parse(body);
  } catch {
    // Its end has not arrived yet, or its start was cut off.
    return null;
  }
  const words = wordsOf(event)?.trim().split('\n')[0]?.trim();
  return words === undefined || words === '' ? null : `${mark}${words.slice(0, MAX_WORDS)}`;
}

function wordsOf(event: unknown): string | null {
  switch (textAt(event, 'type')) {
    case 'assistant':
      return ofContent(at(event, 'message', 'content'));
    case 'item.started':
      return textAt(event, 'item', 'type') === 'command_execution' ? `$ ${textAt(event, 'item', 'command')}` : null;
    case 'item.completed':
      return ofItem(at(event, 'item'));
    case 'message':
      return textAt(event, 'role') === 'assistant' ? textAt(event, 'content') : null;
    case 'tool_use':
      return (
        tool(textAt(event, 'tool_name'), at(event, 'parameters')) ??
        tool(textAt(event, 'part', 'tool'), at(event, 'part', 'state', 'input'))
      );
    case 'text':
      return textAt(event, 'part', 'text') ?? textAt(event, 'text');
    case 'assistant.message':
      return textAt(event, 'data', 'content');
    case 'tool.execution_start':
      return tool(textAt(event, 'data', 'toolName'), at(event, 'data', 'arguments'));
    case 'session.error':
      return textAt(event, 'data', 'message');
    case 'turn.failed':
      return textAt(event, 'error', 'message');
    case 'error':
      return textAt(event, 'message') ?? textAt(event, 'error', 'data', 'message');
    default:
      return null;
  }
}

/** The last of them, because that is what it does now. */
function ofContent(content: unknown): string | null {
  const parts = Array.isArray(content) ? content : [];
  const words = parts.map((part) => textAt(part, 'text') ?? tool(textAt(part, 'name'), at(part, 'input')));
  return words.findLast((one) => one !== null) ?? null;
}

function ofItem(item: unknown): string | null {
  switch (textAt(item, 'type')) {
    case 'agent_message':
      return textAt(item, 'text');
    case 'file_change':
      return `changed ${textAt(item, 'changes', 0, 'path') ?? 'files'}`;
    case 'error':
      return textAt(item, 'message');
    default:
      return null;
  }
}

/** What most tools call their main argument. */
const ABOUT = ['file_path', 'filePath', 'path', 'command', 'cmd', 'pattern', 'query', 'url', 'description'];

function tool(name: string | null, input: unknown): string | null {
  if (name === null) return null;
  const about = typeof input === 'string' ? input : ABOUT.map((key) => textAt(input, key)).find((one) => one !== null);
  return about == null ? name : `${name} ${about}`;
}
