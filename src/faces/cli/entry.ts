/**
 * The first file that runs: refuses a Node that is too old in one clear sentence, then hands over to main.
 * It has no static imports, so that it alone is parsed on an old Node: the rest uses syntax that Node may not know.
 */

/** The first Node 24 whose SQLite is free of the WAL corruption that was fixed in 3.51.3. */
const needed = { node: [24, 15, 0], sqlite: [3, 51, 3] };

/** The operator's, for other programs: they change what Node loads. Nothing that we start gets them. */
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
    // Not even the rest of the program can be loaded: what the system refused is said without it.
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!/^E[A-Z]+$/.test(code)) throw error;
    return `supervisor can not be loaded (${message}): is the limit of open files (\`ulimit -n\`) or of memory too low?`;
  }
}

/**
 * Keeps V8's compiled code between runs, for a quicker start. Never in the shared temporary directory, which is Node's
 * default: compiled code is trusted as it is read, and anyone may have put it there before us.
 */
function keepCompiledCode(): void {
  const cache = process.env['XDG_CACHE_HOME'] || (process.env['HOME'] && `${process.env['HOME']}/.cache`);
  if (!cache) return;
  // Not by an import, which would ask for all that it has (tools/plain-builtins.ts).
  const { mkdirSync } = process.getBuiltinModule('node:fs');
  // Level by level: Node's own recursion never ends where a directory is there and takes no entry (/proc, a home that is not
  // mounted), and a home directory that is missing is not ours to make.
  for (const dir of [cache, `${cache}/supervisor`]) {
    try {
      mkdirSync(dir);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return;
    }
  }
  process.getBuiltinModule('node:module').enableCompileCache?.(`${cache}/supervisor/compiled`);
}
