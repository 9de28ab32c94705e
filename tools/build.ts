/**
 * Bundles the command line into dist/ (or --out DIR): a package that needs nothing installed beside it. `--also FILE` adds
 * another entry, for tests.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type LogLevel, type LogOrStringHandler, type RolldownLog, rolldown } from 'rolldown';
import { packedVocabulary } from '../src/mind/tokens/count.ts';
import { plainBuiltins } from './plain-builtins.ts';

const root = resolve(import.meta.dirname, '..');
const { values } = parseArgs({
  options: { out: { type: 'string', default: join(root, 'dist') }, also: { type: 'string' } },
});
const out = resolve(values.out);

/**
 * The entry is a program of the shell first: only there can the operator's NODE_OPTIONS be kept from Node, and a limit of
 * open files be seen with which Node itself crashes. For Node the second line is a string and a comment.
 */
const LAUNCHER = `#!/bin/sh
':' //; ${[
  'unset NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE',
  'case $(ulimit -n) in ?|??) echo "supervisor: too few files may be open ($(ulimit -n)): raise the limit with ulimit -n 4096" >&2; exit 5 ;; esac',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell
  'n=${SUPERVISOR_NODE:-node}',
  'command -v "$n" >/dev/null || { echo "supervisor needs Node.js 24.15 or newer: install it (https://nodejs.org)" >&2; exit 5; }',
  'exec "$n" "$0" "$@"',
].join('; ')}`;

rmSync(out, { recursive: true, force: true });
const modules = [...(await bundle()), ...(await bundleInside())];
copySql();
// Used as it is read: the library's own list takes a quarter of a second to load.
writeFileSync(join(out, 'o200k.bin'), await packedVocabulary());
writeFileSync(join(out, 'THIRD_PARTY_LICENSES.txt'), licenses(modules));

/** An import left unresolved would be a missing dependency on the operator's machine. */
function resolved(level: LogLevel, log: RolldownLog, handle: LogOrStringHandler): void {
  if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
  handle(level, log);
}

/** Writes the chunks, side by side in one folder so that `../templates` is right from each; returns all module paths. */
async function bundle(): Promise<string[]> {
  const build = await rolldown({
    cwd: root,
    input: {
      supervisor: 'src/faces/cli/entry.ts',
      cleaner: 'src/os/process/cleaner-child.ts',
      ...(values.also === undefined ? {} : { [basename(values.also, '.ts')]: values.also }),
    },
    platform: 'node',
    onLog: resolved,
  });
  const { output } = await build.write({
    dir: out,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    plugins: [plainBuiltins],
  });
  await build.close();
  const chunks = output.filter((file) => file.type === 'chunk');
  const entry = chunks.find((chunk) => chunk.isEntry && chunk.name === 'supervisor');
  // Node 20 must be able to parse all that loads before the version check, so the entry may import nothing up front.
  if (entry === undefined || entry.imports.length > 0)
    throw new Error(`static imports in the entry: ${entry?.imports}`);
  // Not as a banner, which is printed anew without its comment.
  const file = join(out, entry.fileName);
  writeFileSync(file, `${LAUNCHER}\n${readFileSync(file, 'utf8')}`, { mode: 0o755 });
  chmodSync(file, 0o755);
  return chunks.flatMap((chunk) => Object.keys(chunk.modules));
}

/**
 * Programs that run inside sandboxes, where nothing else of ours is: one whole file each, in dist/inside/. CommonJS, because
 * one of them stands before every CLI and Node starts that sooner.
 */
async function bundleInside(): Promise<string[]> {
  const modules: string[] = [];
  for (const file of globSync('src/inside/*.ts', { cwd: root })) {
    const build = await rolldown({ cwd: root, input: file, platform: 'node', onLog: resolved });
    const target = join(out, 'inside', `${basename(file, '.ts')}.cjs`);
    const { output } = await build.write({ file: target, format: 'cjs', minify: 'dce-only' });
    await build.close();
    modules.push(...output.flatMap((chunk) => (chunk.type === 'chunk' ? Object.keys(chunk.modules) : [])));
  }
  return modules;
}

/** SQL is read at run time, from dist/sql/ by file name alone; two files of one name would hide each other. */
function copySql(): void {
  mkdirSync(join(out, 'sql'));
  for (const file of globSync('src/**/*.sql', { cwd: root })) {
    const target = join(out, 'sql', basename(file));
    if (existsSync(target)) throw new Error(`${file}: a second file of that name; they share dist/sql/`);
    copyFileSync(join(root, file), target);
  }
}

/** The notices of exactly the packages whose code is in the bundle. */
function licenses(paths: string[]): string {
  const folders = paths.flatMap((path) => path.match(/^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/)?.[0] ?? []);
  const notices = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    const text =
      file === undefined ? '(the package carries no license file)' : readFileSync(join(folder, file), 'utf8');
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
  return ['This package contains the following third-party software.\n', ...notices].join(`\n${'-'.repeat(80)}\n\n`);
}
