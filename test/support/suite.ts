/**
 * Around the whole suite: what it leaves on the machine makes it fail. Another suite, or a Supervisor at work, may be on the
 * same machine: only what carries a mark of this one counts.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { list, mounts, noteDescendants, sandboxGroups, sandboxProcesses, settled } from './traces.ts';
import { noteUntestedIn, untestedLines } from './untested.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Tests start the command line thousands of times. As it is published it starts in half the time that its sources take. */
function bundle(): string {
  const builds = join(ROOT, '.tools', 'test-builds');
  mkdirSync(builds, { recursive: true });
  const out = mkdtempSync(join(builds, 'dist-'));
  const crash = join(ROOT, 'test/support/crash-entry.ts');
  execFileSync(process.execPath, [join(ROOT, 'tools/build.ts'), '--out', out, '--also', crash], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.env['SUPERVISOR_TEST_ENTRY'] = join(out, 'supervisor.js');
  process.env['SUPERVISOR_TEST_CRASH_ENTRY'] = join(out, 'crash-entry.js');
  return out;
}

export default function setup(): () => Promise<void> {
  const built = bundle();
  // Programs of tests are run from their sources; compiled once, they start in a quarter of the time.
  process.env['NODE_COMPILE_CACHE'] = join(ROOT, '.tools', 'test-cache', 'programs');
  // The mark: all temporary directories of this suite are below it, and the mounts of its sandboxes name it.
  const own = mkdtempSync(join(tmpdir(), 'supervisor-'));
  // A sandboxed user has to pass through.
  chmodSync(own, 0o711);
  process.env['TMPDIR'] = own;
  process.env['SUPERVISOR_TEST_TMP'] = own;
  const notes = join(built, 'untested');
  noteUntestedIn(notes);
  const mark = basename(own);
  // A dead process cannot be asked where it came from. Whoever makes a group lives longer than this.
  const makers = new Set<number>();
  const watch = setInterval(() => noteDescendants(makers), 50).unref();
  const traces = (): string[] => [...sandboxProcesses(mark), ...sandboxGroups(makers), ...mounts(mark), ...list(own)];
  // Those of others too: a number of a process comes again, and then theirs would look like ours.
  const before = new Set([...traces(), ...sandboxGroups(null)]);
  return async () => {
    clearInterval(watch);
    const lines = untestedLines(notes);
    rmSync(built, { recursive: true, force: true });
    // Where every test of a file was left out, nothing ran that removes its directory.
    for (const name of list(own)) if (list(join(own, name)).length === 0) rmdirSync(join(own, name));
    const left = await settled(() => traces().filter((one) => !before.has(one)));
    if (lines.length > 0) console.log(`\n${lines.join('\n')}\n`);
    if (left.length > 0) throw new Error(`the tests left behind:\n${left.flatMap(withContent(own)).join('\n')}`);
    rmdirSync(own);
  };
}

/** A directory of a file of tests says little by its name; what lies in it tells which one left it. */
const withContent =
  (dir: string) =>
  (trace: string): string[] => {
    const path = join(dir, trace);
    if (!existsSync(path)) return [trace];
    return [
      trace,
      ...readdirSync(path, { recursive: true, encoding: 'utf8' })
        .slice(0, 20)
        .map((name) => `  ${name}`),
    ];
  };
