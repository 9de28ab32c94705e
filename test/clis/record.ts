/**
 * Records the golden transcripts anew: `node test/clis/record.ts [cli[/case]…]`. Runs the real programs, each with a fresh
 * home, against the stand-in, in a namespace that has nothing but loopback and shows nothing of this machine but its
 * programs.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StandIn } from '../../src/hands/stand-in/stand-in.ts';
import type { CliExit, CliRequest } from '../../src/mind/workers/adapter.ts';
import { ADAPTERS } from '../../src/mind/workers/adapters/index.ts';
import { CLIS, type Cli, cliBin, clisRoot } from '../support/clis.ts';
import { CASES, type Case, TOLD } from './cases.ts';
import { GOLDEN, type Meta, told } from './golden.ts';

const PORT = 40861;
const PROJECT = join(import.meta.dirname, '../..');
const INSIDE = '/tmp/recording';
const PATH = process.env['PATH'] ?? '';

if (process.argv[2] === '--inside') await recordAll(process.argv.slice(3));
else process.exitCode = enter(process.argv.slice(2));

/** The same program again, behind a wall. */
function enter(wanted: readonly string[]): number {
  mkdirSync(GOLDEN, { recursive: true });
  const bins = CLIS.map((cli) => `${cli}=${realpathSync(cliBin(cli))}`);
  const node = dirname(dirname(realpathSync(process.execPath)));
  const wall = [
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--tmpfs', '/root'],
    ...['--ro-bind', PROJECT, PROJECT, '--bind', GOLDEN, GOLDEN, '--ro-bind', clisRoot(), clisRoot()],
    ...['--ro-bind', node, node],
    ...['--unshare-net', '--unshare-pid', '--unshare-ipc', '--die-with-parent', '--clearenv'],
    ...['--setenv', 'PATH', `${join(node, 'bin')}:/usr/bin:/bin`],
  ];
  const argv = [...wall, process.execPath, import.meta.filename, '--inside', ...bins, '--', ...wanted];
  return spawnSync('bwrap', argv, { stdio: 'inherit' }).status ?? 1;
}

async function recordAll(words: readonly string[]): Promise<void> {
  const end = words.indexOf('--');
  const bins = Object.fromEntries(words.slice(0, end).map((word) => word.split('=', 2) as [Cli, string]));
  const wanted = words.slice(end + 1);
  for (const cli of CLIS) {
    if (ADAPTERS[cli] === undefined) continue;
    for (const [name, one] of Object.entries(CASES)) {
      if (one.of !== undefined && !one.of.includes(cli)) continue;
      if (wanted.length > 0 && !wanted.includes(cli) && !wanted.includes(`${cli}/${name}`)) continue;
      const program = bins[cli];
      if (program === undefined) throw new Error(`${cli} is not installed: run make clis`);
      await record(cli, program, name, one);
    }
  }
}

async function record(cli: Cli, program: string, name: string, one: Case): Promise<void> {
  rmSync(INSIDE, { recursive: true, force: true });
  for (const dir of ['user/.cli', 'temp', 'workspace']) mkdirSync(join(INSIDE, dir), { recursive: true });
  await using standIn = new StandIn({ scenario: { turns: one.turns } });
  const { url } = await standIn.listen({ port: PORT });
  let ask = askFor(cli, url, one);
  let ran = await run(cli, program, ask, one, standIn);
  if (one.again === true && ask.session !== null) {
    const named = told(cli, [ran.stdout], ran.stderr, ran.ended).session;
    ask = { ...ask, session: { id: ask.session.id, told: named, goesOn: true } };
    ran = await run(cli, program, ask, one, standIn);
  }
  const version = execFileSync(program, ['--version'], {
    encoding: 'utf8',
    env: { HOME: INSIDE, PATH },
    stdio: 'pipe',
  });
  const meta: Meta = {
    version: version.trim(),
    args: ran.shown,
    ended: ran.ended,
    stderr: ran.stderr,
    told: told(cli, [ran.stdout], ran.stderr, ran.ended),
  };
  mkdirSync(join(GOLDEN, cli), { recursive: true });
  writeFileSync(join(GOLDEN, cli, `${name}.jsonl`), ran.stdout);
  writeFileSync(join(GOLDEN, cli, `${name}.json`), `${JSON.stringify(meta, null, 2)}\n`);
  const { claims, failure } = meta.told;
  const how = ran.ended.exit.how === 'exit' ? ran.ended.exit.code : 'signal';
  console.log(`${cli}/${name}: ${how}, ${claims} ${failure?.class ?? ''} ${failure?.reason.slice(0, 100) ?? ''}`);
}

function askFor(cli: Cli, url: string, one: Case): CliRequest {
  const adapter = ADAPTERS[cli];
  const more = TOLD[cli];
  const ask: CliRequest = {
    packet: 'Write hello.txt.\n',
    kind: 'change',
    id: '11111111-2222-4333-8444-555555555555',
    ...{ model: null, effort: null, system: null, tools: null, schema: null, session: null, proxy: null },
    endpoint: { url, provider: adapter?.providers[0]?.name ?? '' },
    configDir: join(INSIDE, 'user/.cli'),
    tempDir: join(INSIDE, 'temp'),
    cwd: join(INSIDE, 'workspace'),
    command: [],
    ...more?.ask,
    ...one.ask,
  };
  return one.retries === true ? { ...ask, command: [...ask.command, ...(more?.retries?.command ?? [])] } : ask;
}

type Ran = {
  readonly stdout: string;
  readonly stderr: string;
  readonly ended: CliExit;
  readonly shown: readonly string[];
};

async function run(cli: Cli, program: string, ask: CliRequest, one: Case, standIn: StandIn): Promise<Ran> {
  const call = ADAPTERS[cli]?.call(ask);
  if (call?.type !== 'call') throw new Error(`${cli} cannot be asked this: ${call?.message}`);
  for (const { path, text } of call.files) {
    mkdirSync(dirname(join(ask.configDir, path)), { recursive: true });
    writeFileSync(join(ask.configDir, path), text);
  }
  const given = { HOME: join(INSIDE, 'user'), PATH, ...call.env };
  const env: Record<string, string | null> = {
    ...given,
    ...(one.retries === true ? TOLD[cli]?.retries?.env : {}),
    ...one.env,
  };
  const child = spawn(program, call.args, {
    cwd: ask.cwd,
    env: Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== null)),
  });
  const out = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      out[stream] += text;
    });
  child.stdin.on('error', () => {}).end(one.input ?? call.input);
  const asked = standIn.count;
  const limit = setTimeout(() => child.kill('SIGKILL'), one.limitMs ?? 120_000);
  const ending =
    one.endAfterMs === undefined
      ? null
      : setInterval(() => {
          if (standIn.count <= asked || standIn.mainRequests.length === 0) return;
          clearInterval(ending ?? undefined);
          setTimeout(() => child.kill('SIGTERM'), one.endAfterMs);
        }, 50);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearTimeout(limit);
  const exit = code === null ? { how: 'other' as const } : { how: 'exit' as const, code };
  const upstream = one.upstream === undefined ? null : { status: one.upstream, resetAt: null };
  // Stack traces name files of the installation.
  const clean = (text: string) => text.replaceAll(program.split('/node_modules/')[0] ?? program, '/clis');
  const [stdout, stderr] = [clean(out.stdout), clean(out.stderr)];
  return { stdout, stderr, ended: { exit, now: Date.now(), upstream }, shown: call.shown };
}
