/** Classes of paths that approval policies ask about: from the words of a path, and from patterns that people add. */
import { matcher } from '../fields/globs.ts';

/** Words of a path, in lower case. Two words joined by a space are adjacent. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  auth: [
    ...['auth', 'authn', 'authz', 'authenticate', 'authentication', 'authenticator', 'authorize', 'authorization'],
    ...['authorise', 'authorisation', 'login', 'logout', 'logins', 'signin', 'signup', 'sign in', 'log in', 'oauth'],
    ...['oauth2', 'oidc', 'openid', 'saml', 'sso', 'jwt', 'jwts', 'ldap', 'kerberos', 'session', 'sessions', 'passwd'],
    ...['password', 'passwords', 'passkey', 'passkeys', 'webauthn', 'mfa', 'totp', '2fa', 'otp', 'rbac', 'acl', 'acls'],
    ...['permission', 'permissions', 'csrf', 'xsrf', 'impersonate', 'impersonation'],
  ],
  payment: [
    ...['payment', 'payments', 'pay', 'payout', 'payouts', 'billing', 'invoice', 'invoices', 'invoicing', 'checkout'],
    ...['stripe', 'paypal', 'braintree', 'adyen', 'klarna', 'refund', 'refunds', 'charge', 'charges', 'subscription'],
    ...['subscriptions', 'pricing', 'ledger', 'wallet', 'wallets', 'iban', 'sepa'],
  ],
  encryption: [
    ...['encrypt', 'encrypts', 'encrypted', 'encryption', 'decrypt', 'decrypts', 'decrypted', 'decryption', 'crypto'],
    ...['cryptography', 'cryptographic', 'cipher', 'ciphers', 'aes', 'rsa', 'ecdsa', 'ed25519', 'hmac', 'kdf'],
    ...['bcrypt', 'scrypt', 'argon2', 'pbkdf2', 'tls', 'ssl', 'openssl', 'pgp', 'gpg'],
  ],
  keys: [
    ...['keys', 'keyring', 'keyrings', 'keystore', 'keystores', 'keychain', 'kms', 'hsm', 'vault', 'secret', 'secrets'],
    ...['credential', 'credentials', 'pem', 'p12', 'pfx', 'jks', 'jwk', 'jwks', 'key management', 'key store'],
    ...['key ring', 'api key', 'apikey', 'apikeys', 'private key', 'public key', 'key rotation', 'certificate'],
    ...['certificates', 'certs', 'cert'],
  ],
  ci: ['jenkinsfile', 'buildkite', 'circleci', 'gitlab ci', 'azure pipelines', 'travis yml', 'appveyor'],
  production: ['production', 'prod', 'prd'],
};

const PATTERNS: Readonly<Record<string, readonly string[]>> = {
  keys: ['.env', '.env.*', '*.key', 'id_rsa*', 'id_ed25519*', '.npmrc', '.netrc'],
  ci: [
    ...['/.github/workflows/', '/.github/actions/', 'action.yml', 'action.yaml', '.gitlab-ci.yml', '/.gitlab/ci/'],
    ...['/.circleci/', '/.buildkite/', '.travis.yml', 'Jenkinsfile*', 'azure-pipelines*.yml', '/.azure-pipelines/'],
    ...['bitbucket-pipelines.yml', '.drone.yml', '.woodpecker.yml', '/.woodpecker/', '/.forgejo/', '/.gitea/'],
    ...['appveyor.yml', 'cloudbuild.yaml', 'buildspec.yml', '.cirrus.yml'],
  ],
  production: ['/deploy/', '/terraform/', '/k8s/', '/kubernetes/', '/helm/', '*.tfvars'],
};

export const SHIPPED_CLASSES: readonly string[] = Object.keys(WORDS);

/** Files of these classes are security-sensitive. */
export const SENSITIVE: ReadonlySet<string> = new Set(SHIPPED_CLASSES);

type Patterns = Readonly<Record<string, readonly string[]>>;

/** Returns the classes of a path, sorted. `added`: patterns of several policies; each adds to the others. */
function classifier(added: readonly Patterns[]): (path: string) => readonly string[] {
  const names = new Set([...SHIPPED_CLASSES, ...added.flatMap((one) => Object.keys(one))]);
  const classes = [...names].sort().map((name) => {
    const patterns = [...(own(PATTERNS, name) ?? []), ...added.flatMap((one) => own(one, name) ?? [])];
    return { name, words: new Set(own(WORDS, name)), matches: matcher(patterns, { ignoreCase: true }) };
  });
  return (path) => {
    const words = wordsOf(path);
    const pairs = words.map((word, i) => `${word} ${words[i + 1] ?? ''}`);
    return classes.flatMap(({ name, words: asked, matches }) =>
      words.some((word) => asked.has(word)) || pairs.some((pair) => asked.has(pair)) || matches(path) ? [name] : [],
    );
  };
}

/** The classes of all paths together. */
export function classesOf(paths: readonly string[], added: readonly Patterns[]): string[] {
  const classify = classifier(added);
  return [...new Set(paths.flatMap((path) => classify(path)))].sort();
}

const own = <T>(map: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined;

/**
 * `src/userAuth/OAuth2Client.ts` holds `user`, `auth`, `oauth2`, `client`: a class must not depend on how names are
 * written.
 */
function wordsOf(path: string): string[] {
  return path.split(/[^\p{L}\p{N}]+/u).flatMap((part) => {
    const pieces = part
      .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
      .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
      .toLowerCase()
      .split(' ');
    // Also joins neighbours: `OAuth2` splits into `o` and `auth2`.
    return [...pieces, ...pieces.slice(1).map((piece, i) => `${pieces[i]}${piece}`)];
  });
}
