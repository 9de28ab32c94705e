/**
 * A page of documentation as steps that can be run. Commands stand in ```console blocks, after `$ ` (and `> ` where they go
 * on), each with what it prints. HTML comments, which readers do not see, name the rest:
 *
 *     <!-- world: shop -->       what is there before the first command (worlds.ts)
 *     <!-- file: ~/x.yaml -->    the next block is the content of this file
 *     <!-- before: git add . --> a command of the set-up that the page only tells in words
 *     <!-- not run: why -->      the next block is not run
 */

export type Step =
  | { readonly kind: 'world'; readonly name: string }
  | { readonly kind: 'file'; readonly path: string; readonly content: string }
  | { readonly kind: 'before'; readonly command: string }
  | { readonly kind: 'not-run'; readonly why: string; readonly commands: readonly string[] }
  | { readonly kind: 'run'; readonly command: string; readonly prints: readonly string[]; readonly line: number };

const SHELLS = ['console', 'sh', 'bash', 'shell'];

export function stepsOf(markdown: string): Step[] {
  const steps: Step[] = [];
  const lines = markdown.split('\n');
  let next: { readonly word: string; readonly value: string } | null = null;
  for (let n = 0; n < lines.length; n++) {
    const line = lines[n] ?? '';
    const [, word = '', value = ''] = /^<!-- (world|file|before|not run): (.*) -->$/.exec(line) ?? [];
    if (word === 'world') steps.push({ kind: 'world', name: value });
    else if (word === 'before') steps.push({ kind: 'before', command: value });
    else if (word !== '') next = { word, value };
    const [, fence = '', language = ''] = /^(```+)(\w*)$/.exec(line) ?? [];
    if (fence === '') continue;
    const end = lines.indexOf(fence, n + 1);
    if (end === -1) throw new Error(`line ${n + 1}: the block does not end`);
    steps.push(...block(lines.slice(n + 1, end), language, n + 2, next));
    next = null;
    n = end;
  }
  if (next !== null) throw new Error(`no block follows <!-- ${next.word}: ${next.value} -->`);
  return steps;
}

function block(
  lines: readonly string[],
  language: string,
  first: number,
  next: { readonly word: string; readonly value: string } | null,
): Step[] {
  if (next?.word === 'file') return [{ kind: 'file', path: next.value, content: `${lines.join('\n')}\n` }];
  if (next !== null) return [{ kind: 'not-run', why: next.value, commands: lines.filter((line) => line !== '') }];
  if (!SHELLS.includes(language)) return [];
  const steps: Extract<Step, { kind: 'run' }>[] = [];
  for (const [n, line] of lines.entries()) {
    const last = steps.at(-1);
    if (line.startsWith('$ ')) {
      steps.push({ kind: 'run', command: line.slice(2), prints: [], line: first + n });
    } else if (last === undefined) {
      throw new Error(`line ${first + n}: a block of commands begins with "$ ", or says why it is not run`);
    } else if (line.startsWith('> ') && last.prints.length === 0) {
      steps[steps.length - 1] = { ...last, command: `${last.command}\n${line.slice(2)}` };
    } else {
      steps[steps.length - 1] = { ...last, prints: [...last.prints, line] };
    }
  }
  return steps;
}
