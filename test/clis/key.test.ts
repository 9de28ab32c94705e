/** A real CLI whose model looks for the operator's key wherever a program can look: it is not there, nor in what is kept. */
import { readdirSync, readFileSync } from 'node:fs';
import { request as ask, createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NO_KEY } from '../../src/mind/workers/adapters/providers.ts';
import { BRIDGE_URL } from '../../src/mind/workers/bridge.ts';
import { ALL } from '../support/effort.ts';
import { CLIS, type Cli, KEY, Through, WRITES } from './through.ts';

/**
 * Prints where it finds a text that is nowhere written whole: its halves are arguments, and `grep` gets it on standard
 * input. Then it asks the bridge, with a key of its own, for something that tells which key came.
 */
const SEARCH = `
look() { printf '%s%s' "$first" "$second" | grep -slaF -D skip -f - "$@"; }
search() {
  first=$1 second=$2
  look /proc/self/environ /proc/[0-9]*/environ /proc/[0-9]*/cmdline
  look -r / --exclude-dir=proc --exclude-dir=sys --exclude-dir=usr --exclude-dir=node_modules --exclude=found-*
}
search "$1" "$2" > found-key
search "$3" "$4" > found-stand-in-for-it
exec 3<>"/dev/tcp/\${5%:*}/\${5#*:}"
printf 'GET %s HTTP/1.1\\r\\nHost: x\\r\\nx-api-key: mine\\r\\nauthorization: Bearer mine\\r\\nx-goog-api-key: mine\\r\\nconnection: close\\r\\n\\r\\n' "$6" >&3
cat <&3 > found-echo
echo "passed on: <$PASSED_ON>"
`;

const halves = (text: string) => [text.slice(0, 9), text.slice(9)];
const ECHO = '/models?echo';
const command = (cli: Cli) =>
  ['bash', 'search.sh', ...halves(KEY), ...halves(NO_KEY), new URL(BRIDGE_URL).host, `${VERSIONS[cli]}${ECHO}`].join(
    ' ',
  );

/** What is between the base of its calls and their names. */
const VERSIONS = { claude: '/v1', codex: '', copilot: '', gemini: '/v1beta', opencode: '/v1' } as const;

/** In front of the stand-in: tells, when asked, which headers came. */
async function echo(to: () => string): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    if (request.url?.endsWith(ECHO) === true) {
      response.end(JSON.stringify(request.headers));
      return;
    }
    const { method, headers, url } = request;
    const passed = ask(`${to()}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

type Found = { key: string; standIn: string; echo: string; kept: string; told: string };

async function searchedBy(cli: Cli, env?: string): Promise<Found> {
  await using through = new Through([{ run: command(cli) }, ...WRITES]);
  const { server, url } = await echo(() => through.url);
  try {
    const { world } = through;
    world.commit({ 'search.sh': SEARCH });
    await through.open([cli], '', { front: url, ...(env === undefined ? {} : { env }) });
    const { code, stdout, stderr } = await through.run(cli);
    const report = JSON.parse(stdout);
    expect([code, report.status], stdout + stderr).toEqual([0, 'accepted']);
    const found = (name: string) => world.git('show', `${report.branch}:found-${name}`);
    const shown = await Promise.all(
      ['--records', '--said', '--packets', '--evidence', '--transcript'].map((flag) =>
        world.run(['show', report.task_id, flag], through.env()),
      ),
    );
    const log = await world.run(['log', '--json'], through.env());
    const texts = [stdout, stderr, log.stdout, ...shown.map((one) => one.stdout + one.stderr)];
    return {
      ...{ key: found('key'), standIn: found('stand-in-for-it'), echo: found('echo') },
      kept: [...texts, ...filesBelow(world.state), ...filesBelow(world.repository)].join('\n'),
      told: shown.at(-1)?.stdout ?? '',
    };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const filesBelow = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [readFileSync(join(entry.parentPath, entry.name), 'latin1')] : [],
  );

// It reads all there is inside, from a cold disk too.
const PATIENT = { timeout: 600_000 };

test.each(ALL ? CLIS : (['claude', 'codex'] as const))('%s: its model cannot find the key', PATIENT, async (cli) => {
  const { key, standIn, echo: echoed, kept, told } = await searchedBy(cli);
  expect(key).toBe('');
  // The search works: what the program was given in its place is found.
  expect(standIn).toMatch(/^\/proc\/(self|\d+)\/environ$/m);
  // The server saw the key, and none of those that the worker brought; its word about that comes back without it.
  expect(echoed).toContain('200 OK');
  expect(echoed).toMatch(/"(x-api-key|authorization|x-goog-api-key)":"(Bearer )?\*{20,}"/);
  expect(echoed).not.toMatch(/mine|sk-canary/);
  expect(told).toContain('passed on: <>');
  expect(kept).not.toContain(KEY);
});

test.each(['claude', 'codex'] as const)(
  '%s: the control: a key that is passed on is found, and not kept',
  PATIENT,
  async (cli) => {
    const { key, kept, told } = await searchedBy(cli, 'PASSED_ON');
    expect(key).toMatch(/^\/proc\/self\/environ$/m);
    expect(told).toContain('passed on: <[masked]>');
    expect(kept).not.toContain(KEY);
  },
);
