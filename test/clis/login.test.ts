/**
 * A CLI's own login: a copy of just its credential file goes inside, and it leads to the vendor's hosts alone. The vendor is
 * played by the stand-in, at the vendor's name, in a network that has nothing else.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { StandIn } from '../../src/hands/stand-in/stand-in.ts';
import { BRIDGE_URL } from '../../src/mind/workers/bridge.ts';
import { certificate } from '../egress/certificate.ts';
import { ENTRY, World } from '../support/cli.ts';
import { clisBin } from '../support/clis.ts';
import { leftOver } from '../support/left-over.ts';
import { settled } from '../support/traces.ts';
import { NOT_ROOT, untested } from '../support/untested.ts';
import { GATE, WRITES } from './through.ts';

/** No private one, since those are refused; in its own network nobody else has it. */
const ADDRESS = '9.9.9.9';
const FRONT = fileURLToPath(new URL('front-program.ts', import.meta.url));
const DAY = 86_400_000;

/** Does the rest in a network of its own, in which one name leads to one address. */
const APART = `
ip link set lo up && ip addr add ${ADDRESS}/32 dev lo && mount --bind hosts /etc/hosts || exit 99
"$1" --disable-warning=ExperimentalWarning ${FRONT} ${ADDRESS} vendor.sock ca.pem ready & front=$!
while [ ! -e ready ]; do sleep 0.05; done
cd repository && "$@"; code=$?
kill $front; wait $front; exit $code`;

const TOKEN = 'canary-access-4f1d9b7733aa';
const RENEWAL = 'canary-renewal-90c2e1d55b0e';
const encoded = (claims: object) => Buffer.from(JSON.stringify(claims)).toString('base64url');

/** A token as OpenAI's are: what it says about itself is read by the CLI, its last part by nobody here. */
const JWT = [
  encoded({ alg: 'none', typ: 'JWT' }),
  encoded({
    ...{ email: 'a@example.com', exp: Math.floor((Date.now() + DAY) / 1000) },
    'https://api.openai.com/auth': { chatgpt_plan_type: 'pro', chatgpt_account_id: 'account-1', chatgpt_user_id: 'u' },
  }),
  TOKEN,
].join('.');

/** `trust`: the variable that names further certificates to it. */
const LOGINS = {
  claude: {
    host: 'api.anthropic.com',
    renewal: 'platform.claude.com',
    file: '.claude/.credentials.json',
    inside: '"$CLAUDE_CONFIG_DIR/.credentials.json"',
    trust: 'NODE_EXTRA_CA_CERTS',
    token: TOKEN,
    login: {
      claudeAiOauth: {
        ...{ accessToken: TOKEN, refreshToken: RENEWAL, expiresAt: Date.now() + DAY, subscriptionType: 'max' },
        scopes: ['user:inference', 'user:profile'],
      },
    },
  },
  codex: {
    host: 'chatgpt.com',
    renewal: 'auth.openai.com',
    file: '.codex/auth.json',
    inside: '"$CODEX_HOME/auth.json"',
    trust: 'SSL_CERT_FILE',
    token: JWT,
    login: {
      ...{ auth_mode: 'chatgpt', OPENAI_API_KEY: null, last_refresh: new Date().toISOString() },
      tokens: { id_token: JWT, access_token: JWT, refresh_token: RENEWAL, account_id: 'account-1' },
    },
  },
} as const;

/** As a worker would that wants more: it reads the login, and asks for a place that is not the vendor's. */
const BRIDGE = new URL(BRIDGE_URL);
const tries = (file: string, hosts: readonly string[]) => `cat ${file}; echo
for host in ${hosts.join(' ')}; do
  exec 3<>/dev/tcp/${BRIDGE.hostname}/${BRIDGE.port}
  printf 'CONNECT %s HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n' "$host" "$host" >&3
  head -n 1 <&3
done > refusals.txt`;

type Decision = { kind: string; host: string; port: number | null; allowed: boolean; count: number };

const noNetwork = untested('logins of CLIs, against the hosts of their vendors', NOT_ROOT);
test.skipIf(noNetwork).each(['claude', 'codex'] as const)(
  '%s: works with a copy of its login, and reaches its vendor only',
  async (cli) => {
    const { host, renewal, file, inside, trust, token, login } = LOGINS[cli];
    using world = new World();
    const own = join(world.home, file);
    mkdirSync(dirname(own), { recursive: true });
    writeFileSync(own, JSON.stringify(login), { mode: 0o600 });
    const before = { text: readFileSync(own, 'utf8'), mtime: statSync(own).mtimeMs };
    const { key, cert } = certificate(host, cli === 'claude');
    world.file('ca.pem', cert);
    world.file('ca.pem.key', key);
    world.file('hosts', `127.0.0.1 localhost\n${ADDRESS} ${host}\n`);
    world.commit({ 'ca.pem': cert, 'try.sh': tries(inside, ['example.com:443', `${renewal}:443`, `${ADDRESS}:443`]) });
    world.userConfig(`clis:\n  ${cli}:\n    auth: login\n    env: [${trust}]\n`);
    await using standIn = new StandIn({ scenario: { turns: [{ run: 'bash try.sh' }, ...WRITES] } });
    await standIn.listen({ socket: join(world.dir, 'vendor.sock') });

    const args = ['run', 'write a greeting', '--cli', cli, ...GATE, '--json'];
    const { code, stdout, stderr } = await apart(world, { [trust]: '/workspace/ca.pem' }, args);
    const report = JSON.parse(stdout || '{}');
    expect([code, report.status], stdout + stderr).toEqual([0, 'accepted']);
    expect(standIn.mainRequests.map((one) => one.key)).toEqual([token, token, token]);

    const shown: string[] = [];
    for (const flag of ['--records', '--transcript', '--said'])
      shown.push((await world.run(['show', report.task_id, flag])).stdout);
    const [record = '', transcript = ''] = shown;
    const { decisions }: { decisions: Decision[] } = JSON.parse(record.slice(record.indexOf('{'))).egress;
    const named = (allowed: boolean) => decisions.filter((one) => one.allowed === allowed).map((one) => one.host);
    expect(named(true)).toEqual([host]);
    expect(new Set(named(false))).toEqual(new Set(['example.com', renewal, `${ADDRESS}:443`]));
    const answers = world.git('show', `${report.branch}:refusals.txt`).split('\n');
    expect(answers.map((line) => line.split(' ')[1])).toEqual(['403', '403', '403']);

    // It did read the tokens, and none of them is written down; the operator's own file is as it was.
    expect(transcript).toMatch(/refresh_?token[\\"]+:[\\"]+\[masked\]/i);
    expect([stdout, stderr, ...shown].join('\n')).not.toMatch(/canary-(access|renewal)/);
    expect({ text: readFileSync(own, 'utf8'), mtime: statSync(own).mtimeMs }).toEqual(before);
    expect(await settled(() => leftOver(world))).toEqual([]);
  },
);

test('without the file there is no login, and a key is not taken for one', async () => {
  using world = new World();
  world.userConfig('clis:\n  claude:\n    auth: login\n');
  const env = { PATH: `${clisBin()}:${process.env['PATH']}`, ANTHROPIC_API_KEY: TOKEN };
  const { code, stderr } = await world.run(['run', 'x', '--cli', 'claude', ...GATE], env);
  expect(code).toBe(5);
  expect(stderr).toMatch(/CLI claude has no key and no login here: .*log in by starting claude once/);
});

async function apart(world: World, env: Record<string, string>, args: readonly string[]) {
  // Whatever hangs in there ends with it.
  const words = ['-k', '2', '200', 'unshare', '--net', '--mount', 'sh', '-c', APART, 'sh', process.execPath, ENTRY];
  const child = spawn('timeout', [...words, ...args], {
    cwd: world.dir,
    env: {
      PATH: `${clisBin()}:${process.env['PATH']}`,
      ...{ HOME: world.home, SUPERVISOR_HOME: world.state, NO_COLOR: '1' },
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', (part) => (text.stdout += part));
  child.stderr.on('data', (part) => (text.stderr += part));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, ...text };
}
