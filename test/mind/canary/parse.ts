/** Whether texts parse, by the parser of each language; what is wrong with those that do not. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSync } from 'rolldown/utils';

export type Source = { readonly path: string; readonly text: string };

export const scriptErrors = (all: readonly Source[]): string[] =>
  all.flatMap(({ path, text }) => {
    // Node reads a file of JavaScript as a script when it is no module.
    const types =
      /\.[cm]?[jt]sx?$/.test(path) && !/\b(?:import|export)\b/.test(text)
        ? (['commonjs', 'module'] as const)
        : (['module', 'commonjs'] as const);
    const found = types.map((sourceType) => parseSync(path, text, { sourceType }).errors);
    return found.some((errors) => errors.length === 0) ? [] : [`${path}: ${found[0]?.[0]?.message}\n${text}`];
  });

const PYTHON = `
import ast, json, sys, warnings
warnings.simplefilter('ignore')
for one in json.load(sys.stdin):
    try: ast.parse(one['text'])
    except Exception as e: print(json.dumps(one['path'] + ': ' + repr(e) + '\\n' + one['text']))
`;

export function pythonErrors(all: readonly Source[]): string[] {
  const { status, stdout, stderr } = spawnSync('python3', ['-c', PYTHON], {
    input: JSON.stringify(all),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(stderr);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as string);
}

export const goErrors = (all: readonly Source[]): string[] => errorsOf('gofmt', ['-e', '-l'], 'go', all);

export const rustErrors = (all: readonly Source[]): string[] =>
  errorsOf('rustfmt', ['--check', '--edition', '2021', '-q'], 'rs', all, (text) => /^error/m.test(text));

/** Why a parser cannot be used here; null when it can. */
export const missing = (program: string): string | null =>
  spawnSync(program, ['--version']).error === undefined ? null : `${program} is not installed`;

function errorsOf(
  program: string,
  args: readonly string[],
  ending: string,
  all: readonly Source[],
  isError = (text: string) => text !== '',
): string[] {
  const dir = mkdtempSync(join(tmpdir(), 'supervisor-canary-'));
  try {
    return all.flatMap(({ path, text }, index) => {
      const file = join(dir, `f${index}.${ending}`);
      writeFileSync(file, text);
      const { stderr } = spawnSync(program, [...args, file], { encoding: 'utf8' });
      return isError(stderr) ? [`${path}: ${stderr}\n${text}`] : [];
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
