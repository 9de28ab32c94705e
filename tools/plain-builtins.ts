/**
 * For bundles: takes what is needed of Node's own modules without an `import`. That asks a module for everything it has, and so
 * loads what nobody wants (streams for `node:fs`, comparing texts for `node:util`): 5 ms of each start (measured 2026-11).
 */
import type { Plugin } from 'rolldown';

export const plainBuiltins: Plugin = {
  name: 'plain-builtins',
  renderChunk: (code) => {
    // All imports stand before everything else, each on a line of its own.
    const [head = ''] = /^(?:#!.*\n|\/\/.*\n|import .*\n)*/.exec(code) ?? [];
    const plain = head.replace(/^import (.+) from "(node:[\w/]+)";$/gm, (_, what: string, name: string) =>
      taken(what, name),
    );
    return plain + code.slice(head.length);
  },
};

/** Only functions are taken from these, and many commands never call one: the first call loads the module. */
const LATE: ReadonlySet<string> = new Set(['node:child_process']);

/** `all`, `* as all`, `{ a, b as c }`, or the first with the last. */
function taken(what: string, name: string): string {
  const module = `process.getBuiltinModule("${name}")`;
  const parts = /^(?:\* as )?([\w$]+)?(?:, )?(?:\{ (.+) \})?$/.exec(what);
  if (parts === null) throw new Error(`an import that is not understood: import ${what} from "${name}"`);
  const [, all, some] = parts;
  if (LATE.has(name) && all === undefined && some !== undefined) return late(some, module);
  return [
    ...(all === undefined ? [] : [`const ${all} = ${module};`]),
    ...(some === undefined ? [] : [`const { ${some.replaceAll(' as ', ': ')} } = ${module};`]),
  ].join('\n');
}

const late = (some: string, module: string): string =>
  some
    .split(', ')
    .map((one) => one.split(' as '))
    .map(([own, here = own]) => `const ${here} = (...given) => ${module}.${own}(...given);`)
    .join('\n');
