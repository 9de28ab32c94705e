/** Runs every reader of code over a text, as whatever language it may pretend to be. */
import { identifierWords, testFilesIn, testsOf } from '../../../src/mind/code/companions.ts';
import { importsIn } from '../../../src/mind/code/imports.ts';
import { isGenerated } from '../../../src/mind/code/kinds.ts';
import { looseJson } from '../../../src/mind/code/loose-json.ts';
import { outlineOf, outlineText } from '../../../src/mind/code/outline.ts';
import { isInterfaceFile, publicApi } from '../../../src/mind/code/public-api.ts';
import { makeResolver } from '../../../src/mind/code/resolve.ts';

const PATHS = ['a.ts', 'a.vue', 'a.py', 'a.go', 'a.rs', 'A.java', 'a.md', 'a.json', 'a.yaml'];
const CONFIGS = ['tsconfig.json', 'package.json', 'go.mod', 'Cargo.toml', 'pyproject.toml', 'setup.cfg'];

export function readAll(text: string): void {
  for (const path of PATHS) readAs(path, text);
  identifierWords(text);
  looseJson(text);
  resolveWith(text, text.slice(0, 2_000));
}

export function readAs(path: string, text: string): void {
  importsIn(path, text);
  outlineText(path, outlineOf(path, text), 50);
  publicApi(path, text);
  isInterfaceFile(path, text);
  isGenerated(path, text);
}

/** What is found that is not of the repository. */
export function resolveWith(config: string, specifier: string): readonly string[] {
  const files = new Set([...PATHS, 'src/a.ts', 'src/lib.rs']);
  const resolve = makeResolver(files, new Map(CONFIGS.map((path) => [path, config])));
  const paths = [...files];
  testsOf(specifier, { paths, tests: testFilesIn(paths), has: (path) => files.has(path) });
  return PATHS.flatMap((from) => resolve(from, specifier)).filter((path) => !files.has(path));
}
