/**
 * Files whose name says that they hold secrets. They are never packed, even if they are named: their content is worth
 * more than what a worker could learn from it, and a redactor only finds secrets that look like some.
 */
import { type Matcher, matcher } from '../fields/globs.ts';

const DATA = ['json', 'yaml', 'yml', 'ini', 'toml', 'csv', 'txt', 'xml', 'properties', 'cfg', 'conf'];

const SECRET_FILES: readonly string[] = [
  ...['.env', '.env.*', '*.env', '.envrc', '.envrc.*', '.env-*', '.env_*', '.env~'],
  ...['*.pem', '*.key', '*.p12', '*.pfx', '*.jks', '*.keystore', '*.kdbx', '*.ppk', '*.p8', '*.gpg', '*.age'],
  ...['id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519', 'id_rsa.*', 'id_ed25519.*', '.ssh/', '.gnupg/', '.aws/', '.kube/'],
  ...['.npmrc', '.yarnrc', '.pypirc', '.netrc', '_netrc', '.git-credentials', '.pgpass', '.my.cnf', '.htpasswd'],
  ...['.dockercfg', '.docker/config.json', 'kubeconfig', '*.kubeconfig', '*.tfstate', '*.tfstate.*'],
  ...['*.tfvars', '*.tfvars.json', '**/secrets/*.yaml', '**/secrets/*.yml', '**/secrets/*.json'],
  ...['credentials', 'secrets', 'secret'].flatMap((name) => DATA.map((ending) => `${name}.${ending}`)),
  ...['client_secret*.json', 'service-account*.json', 'service_account*.json', 'application_default_credentials.json'],
  ...['.vault-token', '.vault_pass*', 'master.key', '*.ovpn', '.s3cfg', '.boto'],
];

const named: Matcher = matcher(SECRET_FILES, { ignoreCase: true });
/** A file called `credentials` holds keys; a directory of that name holds code. */
const BARE: ReadonlySet<string> = new Set(['credentials', 'secret', 'secrets']);
/**
 * Anything that matches a pattern has its letters. Called for every file of a tree, nearly all of which have none of
 * them.
 */
const MAY_BE_NAMED = new RegExp(
  [...new Set([...BARE, ...SECRET_FILES].map(lettersOf))].map((letters) => RegExp.escape(letters)).join('|'),
);
function lettersOf(pattern: string): string {
  const pieces = pattern.split(/[*/]+/);
  return pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest), '').toLowerCase();
}

/** Made to be read: they show which variables exist. Like all files they are redacted. */
const EXAMPLE = /^\.env(?:\.[\w-]+)?\.(?:example|sample|template|dist)$/;

export function isSecretFile(path: string): boolean {
  if (!MAY_BE_NAMED.test(path.toLowerCase())) return false;
  const start = path.lastIndexOf('/') + 1;
  const name = path.slice(start).toLowerCase();
  if (BARE.has(name)) return true;
  if (!named(path)) return false;
  // The directory of the file may still be excluded.
  return !EXAMPLE.test(name) || named(`${path.slice(0, start)}example`);
}
