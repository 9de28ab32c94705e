/**
 * Asks the operator's package managers where they fetch from. Runs them outside the project, so that no project file is
 * read.
 */
import { realpathSync, statSync } from 'node:fs';
import type { Mount } from '../../engine/ports/sandbox.ts';
import { type Registries, registriesIn } from '../../mind/environment/registries.ts';
import { isInside } from '../../mind/sandbox/paths.ts';
import { findProgram } from '../../os/machine/tool-chains.ts';
import { run } from '../../os/process/run.ts';

type Operator = {
  readonly home: string | null;
  readonly path: string;
  variable(name: string): string | undefined;
};

/** Includes what the managers inside need to trust the same certificates. */
export type FoundRegistries = Registries & { readonly readable: readonly Mount[] };

const ASK_MS = 30_000;

/** `command`: the preparation; only managers that it may use are asked, because each takes time. */
export async function registriesOf(operator: Operator, command: string): Promise<FoundRegistries> {
  const known = Object.values(USED_BY).some((words) => words.test(command));
  const ask = async (name: keyof typeof USED_BY, program: string, ...args: string[]) =>
    known && !USED_BY[name].test(command) ? null : await said(operator, program, args);
  const pip = findProgram('pip3', operator.path) === null ? 'pip' : 'pip3';
  const [npm, config, help, go] = await Promise.all([
    ask('npm', 'npm', 'config', 'ls', '-l', '--json'),
    ask('pip', pip, 'config', 'list'),
    ask('pip', pip, 'install', '--help'),
    ask('go', 'go', 'env', 'GOPROXY', 'GOSUMDB'),
  ]);
  const found = registriesIn({
    npm,
    go,
    pip:
      config === null && help === null ? null : { config: `${config ?? ''}${ownIndexes(operator)}`, help: help ?? '' },
  });
  const certificates = certificatesOf(operator);
  return { ...found, env: { ...found.env, ...certificates.env }, readable: certificates.readable };
}

const USED_BY = {
  npm: /\b(?:npm|npx|pnpm|yarn|bun|corepack)\b/,
  pip: /\b(?:pip3?|python[\d.]*|uv|poetry|pdm|tox|hatch)\b/,
  go: /\bgo\b/,
};

/** Variables that move a manager's own configuration. */
const VARIABLES = [
  ...['npm_config_registry', 'NPM_CONFIG_REGISTRY', 'npm_config_userconfig', 'NPM_CONFIG_USERCONFIG'],
  ...['PIP_CONFIG_FILE', 'XDG_CONFIG_HOME', 'GOPROXY', 'GOSUMDB', 'GOENV', 'PYENV_ROOT', 'NVM_DIR'],
];

/** The query leaves nothing in the operator's home: no log, no time stamp. */
const SILENT = { npm_config_logs_max: '0', npm_config_update_notifier: 'false', PIP_DISABLE_PIP_VERSION_CHECK: '1' };

async function said(operator: Operator, name: string, args: readonly string[]): Promise<string | null> {
  const program = findProgram(name, operator.path);
  if (program === null) return null;
  const own = VARIABLES.flatMap((each) => {
    const value = operator.variable(each);
    return value === undefined ? [] : [[each, value] as const];
  });
  const env = {
    ...Object.fromEntries(own),
    PATH: operator.path,
    HOME: operator.home ?? '/nonexistent',
    LC_ALL: 'C',
    ...SILENT,
  };
  const { code, stdout } = await run(program, args, { env, cwd: '/', timeoutMs: ASK_MS, maxBytes: 4 << 20 });
  return code === 0 ? stdout : null;
}

/** pip does not list what its variables say. */
function ownIndexes(operator: Operator): string {
  const line = (key: string, name: string) => {
    const value = operator.variable(name);
    return value === undefined ? '' : `\n:env:.${key}='${value}'`;
  };
  return line('index-url', 'PIP_INDEX_URL') + line('extra-index-url', 'PIP_EXTRA_INDEX_URL');
}

/** Variables with which the operator adds certificates; those in system directories are mounted anyway. */
const CERTIFICATES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'PIP_CERT'];
const SHOWN = ['/etc/ssl', '/etc/pki', '/etc/ca-certificates', '/usr'];

function certificatesOf(operator: Operator): { readonly env: Record<string, string>; readonly readable: Mount[] } {
  const env: Record<string, string> = {};
  const readable: Mount[] = [];
  for (const name of CERTIFICATES) {
    const path = operator.variable(name);
    if (path === undefined || !statSync(path, { throwIfNoEntry: false })?.isFile()) continue;
    const real = realpathSync(path);
    const shown = SHOWN.some((place) => isInside(place, path) && isInside(place, real));
    env[name] = shown ? path : `/run/supervisor/certificates/${name}.pem`;
    if (!shown) readable.push({ from: real, to: env[name] });
  }
  return { env, readable };
}
