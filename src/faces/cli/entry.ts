/**
 * The entry file: refuses a Node that is too old in one clear sentence, then hands over to main. It has no static
 * imports, so an old Node parses only this file; the rest uses newer syntax.
 */

/** The first Node 24 whose SQLite has the fix of a WAL corruption bug (3.51.3). */
const needed = { node: [24, 15, 0], sqlite: [3, 51, 3] };

/** The operator set these for other programs; they change what Node loads. No child process of ours gets them. */
const FOR_OTHERS = ['NODE_OPTIONS', 'NODE_PATH', 'NODE_REPL_EXTERNAL_MODULE'];

const problem = complaint(process.versions) ?? (await start());
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 5;
}

function complaint(versions: NodeJS.ProcessVersions): string | undefined {
  if (atLeast(versions.node, needed.node) && atLeast(versions['sqlite'], needed.sqlite)) return undefined;
  return (
    `supervisor needs Node.js ${needed.node.join('.')} or newer with SQLite ${needed.sqlite.join('.')} or newer; ` +
    `this is Node.js ${versions.node} (${process.execPath}) with SQLite ${versions['sqlite'] ?? 'missing'}. ` +
    'Install a current Node.js 24 (https://nodejs.org) and run the command again.'
  );
}

function atLeast(version: string | undefined, least: readonly number[]): boolean {
  const parts = (version ?? '0').split('.').map((part) => Number.parseInt(part, 10));
  for (const [index, wanted] of least.entries()) {
    const part = parts[index] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}

async function start(): Promise<string | undefined> {
  for (const name of FOR_OTHERS) delete process.env[name];
  try {
    keepCompiledCode();
    const { main } = await import('./main.ts');
    process.exitCode = await main(process.argv.slice(2));
    return undefined;
  } catch (error) {
    // The rest of the program may be impossible to load, so the system's error is printed without it.
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!/^E[A-Z]+$/.test(code)) throw error;
    return `supervisor cannot be loaded (${message}): is the limit of open files (\`ulimit -n\`) or of memory too low?`;
  }
}

/**
 * Caches V8's compiled code between runs, for a quicker start. Never in the shared temporary directory, which is Node's
 * default: compiled code is trusted when read, and anyone could have put it there.
 */
function keepCompiledCode(): void {
  const cache = process.env['XDG_CACHE_HOME'] || (process.env['HOME'] && `${process.env['HOME']}/.cache`);
  if (!cache) return;
  // No import, because that would load everything the module imports (tools/plain-builtins.ts).
  const { mkdirSync } = process.getBuiltinModule('node:fs');
  // Creates level by level: Node's own recursion never ends if a directory exists but accepts no entry (/proc, an
  // unmounted home). A missing home directory is not ours to create.
  for (const dir of [cache, `${cache}/supervisor`]) {
    try {
      mkdirSync(dir);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return;
    }
  }
  process.getBuiltinModule('node:module').enableCompileCache?.(`${cache}/supervisor/compiled`);
}
