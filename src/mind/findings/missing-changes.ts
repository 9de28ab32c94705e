/** Finds files that a change should have touched: those that the worker claims, and the sources of generated ones. */
import { skipReason } from '../code/kinds.ts';
import type { FileFacts } from './file-facts.ts';
import type { FindingRule, Hit } from './rule.ts';
import { REVERT } from './task-words.ts';

const plain = (path: string): string => path.replace(/^(?:\.\/)+/, '').replace(/\/+/g, '/');

export const claimedOnly: FindingRule = ({ files, claims }) => {
  const changed = new Set(files.map(({ path }) => path));
  return [...new Set(claims.map(plain))]
    .filter((path) => path !== '' && !changed.has(path))
    .map(
      (path): Hit => ({
        rule: 'claim-not-changed',
        severity: 'low',
        path,
        line: null,
        message: 'The worker says that it changed this file, and the file is as it was',
        blocks: false,
      }),
    );
};

/** Marked at the top or by its name; lock files and third-party code have their own rules. */
const MADE: ReadonlySet<string> = new Set(['generated', 'a snapshot of tests', 'minified', 'a source map']);
/** The line in which generators name their input: `// source: api.proto`. */
const SOURCE =
  /^[ \t]*(?:\/\/+|#+|\*|--)[ \t]*(?:source(?: file)?|generated from|input)[ \t]*:?[ \t]+([\w@./-]{1,200}\.\w{1,12})\b/im;
const HEAD = 3_000;
/** Asks to regenerate such files, or for the files themselves. */
const ASKED =
  /\b(?:re-?generat\w*|generat\w*|codegen|snapshots?|protoc|protobuf|proto|schema|bindings?|rebuil\w*|build|re-?creat\w*|minif\w*|dist|bump\w*|upgrad\w*|releas\w*)\b/i;

export const generatedAlone: FindingRule = ({ files, words, generated }) => {
  const changed = new Set(files.map(({ path }) => path));
  const asked = words.asks(ASKED) || words.asks(REVERT);
  const made = files.filter((file) => file.file.before !== null && file.file.after !== null && isMade(file));
  // Whatever generated these files, another file changed with them.
  const isAlone = made.length > 0 && made.length === files.filter(({ isDoc }) => !isDoc).length;
  return files.flatMap((file): Hit[] => {
    const { path } = file;
    const source = generated(path) ?? sourceIn(file, changed);
    if (source !== null && source !== path && !changed.has(source)) {
      const from = source.slice(0, 160);
      return [
        hit(path, `This file is generated from ${from}, which did not change: change the source and generate again`),
      ];
    }
    if (source !== null || !isAlone || !made.includes(file)) return [];
    const message =
      'This file is made by a tool, and nothing that it could be made of has changed: change the source and make it again';
    return [hit(path, message)];
  });

  function hit(path: string, message: string): Hit {
    const severity = asked ? 'medium' : 'high';
    return { rule: 'generated-edited', severity, path, line: null, message, blocks: !asked };
  }
};

const isMade = ({ path, file: { before } }: FileFacts): boolean =>
  // Tools also write pins of packages, whenever somebody runs them.
  !/\.(?:txt|lock|toml|in)$/.test(path) &&
  MADE.has(skipReason(path, new Uint8Array(), before?.slice(0, HEAD) ?? '') ?? '');

/** The source that the file itself names: a changed file whose name ends so. */
function sourceIn(file: FileFacts, changed: ReadonlySet<string>): string | null {
  if (file.file.before === null || file.file.after === null || !isMade(file)) return null;
  const source = SOURCE.exec(file.file.before.slice(0, HEAD))?.[1]?.replace(/^\.\//, '');
  if (source === undefined) return null;
  return [...changed].find((path) => path === source || path.endsWith(`/${source}`)) ?? source;
}
