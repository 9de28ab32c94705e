/** Names that a JavaScript or TypeScript test file binds at its top level: by import, `require` or a declaration. */
import type { Scanned } from './scan.ts';

export type BoundName = {
  readonly local: string;
  /** `default`, `*`, or its name in the module. */
  readonly imported: string;
  /** Null if it comes from no module. */
  readonly module: string | null;
  /** The statement, for use in a file beside this one; empty if it cannot stand alone. */
  readonly statement: string;
};

const IMPORT = /(?<=^|;[ \t]{0,20})import\s+(?!type\b)([\w$*{}\s,]+?)\s*from\s*(['"])/gm;
const DECLARED = /^(?:export\s+)?(?:const|let|var)\s+([\w$]+|\{[\w$\s,:]*\})(?:\s*:[^=\n]*)?(?:\s*=\s*|\s*;)/gm;
const REQUIRE = /(?:await\s+import|require)\s*\(\s*(['"])/y;

export function boundNames(text: string, { code, pairs }: Scanned): readonly BoundName[] {
  return [...imports(text, code), ...declarations(text, code, pairs)];
}

function* imports(text: string, code: string): Iterable<BoundName> {
  for (const { index, 0: head, 1: clause = '', 2: quote = '' } of code.matchAll(IMPORT)) {
    const from = index + head.length;
    const end = code.indexOf(quote, from);
    const module = text.slice(from, end);
    const statement = text.slice(index, end + 1);
    const braces = /\{([^}]*)\}/.exec(clause)?.[1];
    const outside = clause.replace(/\{[^}]*\}/, '').trim();
    for (const part of outside.split(',').map((one) => one.trim())) {
      const star = /^\*\s*as\s+([\w$]+)$/.exec(part)?.[1];
      if (star !== undefined) yield { local: star, imported: '*', module, statement };
      else if (/^[\w$]+$/.test(part)) yield { local: part, imported: 'default', module, statement };
    }
    for (const part of (braces ?? '').split(',').map((one) => one.trim())) {
      const [, imported, local] = /^([\w$]+)(?:\s+as\s+([\w$]+))?$/.exec(part) ?? [];
      if (imported !== undefined) yield { local: local ?? imported, imported, module, statement };
    }
  }
}

function* declarations(text: string, code: string, pairs: ReadonlyMap<number, number>): Iterable<BoundName> {
  for (const { index, 0: head, 1: names = '' } of code.matchAll(DECLARED)) {
    const from = index + head.length;
    REQUIRE.lastIndex = from;
    const quote = REQUIRE.exec(code)?.[1];
    const begin = REQUIRE.lastIndex;
    const end = quote === undefined ? -1 : code.indexOf(quote, begin);
    const module = quote === undefined ? null : text.slice(begin, end);
    const close = quote === undefined ? undefined : pairs.get(code.indexOf('(', from));
    const rest = close === undefined ? '' : (/^[^\n]*/.exec(code.slice(close + 1))?.[0] ?? '').trim();
    // `require('node:assert').strict`, and nothing else on the line.
    const member = /^\.([\w$]+);?$/.exec(rest)?.[1];
    const isAlone = close !== undefined && (rest === '' || rest === ';' || member !== undefined);
    const statement = isAlone ? text.slice(index, close + 1) + (member === undefined ? '' : `.${member}`) : '';
    if (!names.startsWith('{')) {
      yield { local: names, imported: member ?? 'default', module, statement };
      continue;
    }
    for (const part of names.slice(1, -1).split(',')) {
      const [, imported, local] = /^\s*([\w$]+)(?:\s*:\s*([\w$]+))?\s*$/.exec(part) ?? [];
      if (imported !== undefined) yield { local: local ?? imported, imported, module, statement };
    }
  }
}
