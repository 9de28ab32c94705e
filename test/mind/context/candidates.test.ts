import { describe, expect, test } from 'vitest';
import { type ChooseOptions, choose, type FileFacts, type Wish } from '../../../src/mind/context/candidates.ts';
import { isSecretFile } from '../../../src/mind/context/secret-files.ts';
import { PART_KINDS, type PartKind } from '../../../src/mind/fields/part-kinds.ts';

const USE = {
  share: 1,
  maxFiles: 100,
  most: Number.POSITIVE_INFINITY,
  excerpt: Number.POSITIVE_INFINITY,
  whole: false,
};
const wish = (kind: PartKind, path: string, score = 0): Wish => ({ kind, path, score, why: 'because' });

function chosen(wishes: readonly Wish[], files: readonly Partial<FileFacts>[] = [], more: Partial<ChooseOptions> = {}) {
  const known = [...wishes.map(({ path }) => ({ path })), ...files].map((file) => ({
    path: '',
    bytes: 100,
    link: false,
    ...file,
  }));
  return choose(wishes, {
    files: new Map(known.map((file) => [file.path, file])),
    order: PART_KINDS,
    uses: new Map(PART_KINDS.map((kind) => [kind, USE])),
    excluded: () => null,
    apiOnly: () => false,
    ...more,
  });
}

test('a file appears once, in its most needed kind', () => {
  const wishes = [
    wish('related', 'a.ts', 9),
    wish('target_file', 'a.ts'),
    wish('imports', 'a.ts'),
    wish('imports', 'b.ts'),
  ];
  expect(chosen(wishes).candidates.map(({ kind, path }) => [kind, path])).toEqual([
    ['target_file', 'a.ts'],
    ['imports', 'b.ts'],
  ]);
  const order = [...new Set<PartKind>(['related', ...PART_KINDS])];
  expect(chosen(wishes, [], { order }).candidates[0]?.kind).toBe('related');
});

describe('a left-out file is named with the reason', () => {
  const cases: [string, Partial<FileFacts>, RegExp][] = [
    ['a link', { link: true }, /link: never followed/],
    ['a file that is too large', { bytes: 2_000_000 }, /2000000 bytes/],
  ];
  test.each(cases)('%s', (_, facts, reason) => {
    const { candidates, left } = chosen([wish('files', 'a.ts')], [{ path: 'a.ts', ...facts }]);
    expect(candidates).toEqual([]);
    expect(left).toEqual([{ path: 'a.ts', kind: 'files', reason: expect.stringMatching(reason) }]);
    // The same file without that is taken.
    expect(chosen([wish('files', 'a.ts')]).candidates).toHaveLength(1);
  });

  test('a file that is not in the tree, whatever its name', () => {
    const files = new Map<string, FileFacts>();
    const names = ['new.ts', '../../etc/passwd', '/etc/passwd', '~/.bashrc'];
    const { left } = chosen(
      names.map((path) => wish('target_file', path)),
      [],
      { files },
    );
    expect(left.map(({ path, reason }) => [path, reason]).sort()).toEqual(
      names.map((path) => [path, 'is not in the tree']).sort(),
    );
  });

  test('more files than a kind may have: the best stay', () => {
    const uses = new Map([['related' as const, { ...USE, maxFiles: 2 }]]);
    const { candidates, left } = chosen(
      [1, 3, 2].map((n) => wish('related', `${n}.ts`, n)),
      [],
      { uses },
    );
    expect(candidates.map(({ path }) => path)).toEqual(['3.ts', '2.ts']);
    expect(left).toEqual([{ path: '1.ts', kind: 'related', reason: 'more than 2 files of this kind' }]);
  });

  test('protected files over 2 MiB together', () => {
    const names = ['a', 'b', 'c'];
    const files = names.map((path) => ({ path, bytes: 1 << 20 }));
    const { candidates, left } = chosen(
      names.map((path) => wish('always_include', path)),
      files,
    );
    expect(candidates).toHaveLength(2);
    expect(left).toEqual([
      { path: 'c', kind: 'always_include', reason: expect.stringContaining('2097152 bytes together') },
    ]);
  });
});

test('an excluded file is left out, unless it is protected', () => {
  const excluded = () => 'excluded';
  const { candidates, left } = chosen([wish('target_file', 'a'), wish('always_include', 'b')], [], { excluded });
  expect(candidates.map(({ path }) => path)).toEqual(['b']);
  expect(left.map(({ path }) => path)).toEqual(['a']);
});

const SECRETS = [
  ...['.env~', '.env.bak', '.env.example.bak', '.aws/.env.example', 'secrets/db.yaml', 'deploy/secrets/db.yml'],
  ...['k8s/Secrets/token.json'],
  ...['.env', '.env.local', 'apps/web/.env.production', 'prod.env', '.ENV', '.envrc', 'server.pem', 'tls/private.key'],
  ...[
    'id_rsa',
    'home/.ssh/config',
    'id_ed25519.bak',
    '.npmrc',
    '.netrc',
    '.pypirc',
    '.git-credentials',
    '.aws/credentials',
  ],
  ...[
    'credentials',
    'credentials.json',
    'config/secrets.yml',
    'Secrets.toml',
    'client_secret_12.json',
    'x.p12',
    'a.jks',
  ],
  ...[
    'service-account-prod.json',
    'infra/terraform.tfstate',
    'prod.tfvars',
    'prod.auto.tfvars.json',
    'kubeconfig',
    '.htpasswd',
    '.docker/config.json',
  ],
];
test.each(SECRETS)('%s holds secrets by its name: no setting gets it in, not even `always_include`', (path) => {
  const wishes = (['always_include', 'target_file', 'files'] as const).map((kind) => wish(kind, path));
  const { candidates, left } = chosen(wishes);
  expect(candidates).toEqual([]);
  expect(left).toEqual([{ path, kind: 'always_include', reason: expect.stringContaining('secrets') }]);
});

test.each([
  '.env.example',
  'apps/web/.env.sample',
  '.env.template',
  '.env.dist',
  '.env.local.example',
  '.ENV.Example',
  'secrets/README.md',
  'secrets/rotate/plan.yaml',
  'src/credentials.ts',
  'credentials/login.py',
  'env.ts',
  'environment.py',
  'lib/secrets/index.js',
  'keys.ts',
  'docs/secret-scanning.md',
  'monkey.js',
])('%s is code like any other', (path) => expect(isSecretFile(path)).toBe(false));
