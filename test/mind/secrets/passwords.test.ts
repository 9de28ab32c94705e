/** Passwords that people choose are found behind clear names, in many syntaxes; what stands there instead of one is not. */
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../../src/mind/secrets/scan.ts';
import { KNOWN_SYNTAXES, UNKNOWN_SYNTAXES, UNSEEN_SYNTAXES, written } from './human-passwords.ts';
import { madeUp } from './made-up.ts';
import { MISSED_KINDS } from './missed-kinds.ts';

const found = (text: string) => findSecrets(text).map(({ from, to }) => text.slice(from, to));
const PASSWORD = ['Tr33', 'house99'].join('');

describe.each([
  ['developed on', KNOWN_SYNTAXES],
  ['written afterwards', UNSEEN_SYNTAXES],
])('%s', (_, samples) => {
  test.each(samples.map((sample) => [sample[0], sample] as const))('%s', (name, sample) => {
    const { text, password } = written(sample);
    expect(found(text)).toEqual(UNKNOWN_SYNTAXES.has(name) ? [] : [password]);
  });
});

test.each(MISSED_KINDS)('%s: %j', (...sample) => {
  const { text, password } = written(sample);
  expect(found(text)).toEqual([password]);
});

describe('more ways to give one', () => {
  test.each([
    `CREATE USER app IDENTIFIED WITH mysql_native_password BY '${PASSWORD}';`,
    `alter user scott identified by ${PASSWORD};`,
    `ALTER ROLE app PASSWORD '${PASSWORD}'`,
    `CREATE LOGIN app WITH PASSWORD = N'${PASSWORD}';`,
    `redis-cli -h cache -a ${PASSWORD} ping`,
    `mongosh --username app -p ${PASSWORD} admin`,
    `docker login -u ci -p ${PASSWORD} registry.acme.net`,
    `ldapsearch -x -D cn=admin -w ${PASSWORD} -b dc=acme`,
    `sqlcmd -S db -U sa -P '${PASSWORD}'`,
    `htpasswd -bc .htpasswd alice ${PASSWORD}`,
    `deploy --password ${PASSWORD} --force`,
    `deploy --db-password=${PASSWORD}`,
    `dsn := "host=db user=app password=${PASSWORD} sslmode=disable"`,
    `Environment="DB_PASSWORD=${PASSWORD}"`,
    `os.environ.setdefault("PGPASSWORD", "${PASSWORD}")`,
    `const PASSWORD: &str = "${PASSWORD}";`,
    `var dbPassword string = "${PASSWORD}"`,
    `<key>password</key>\n<string>${PASSWORD}</string>`,
    `if (password === '${PASSWORD}') return true;`,
    `bindpw ${PASSWORD}`,
    `+  password: ${PASSWORD}\n`,
    `wpa_passphrase=${PASSWORD}\n`,
    `- name: DB_PASSWORD\n  value: "${PASSWORD}"`,
    `{"name": "DB_PASSWORD", "value": "${PASSWORD}"}`,
    `variable "db_password" {\n  type    = string\n  default = "${PASSWORD}"\n}`,
    `image: \${DB_PASSWORD:-${PASSWORD}}`,
    `password: process.env.DB_PASS || '${PASSWORD}'`,
    `password := []byte("${PASSWORD}")`,
    `echo "root:${PASSWORD}" | chpasswd\n`,
    `openssl rsa -passin pass:${PASSWORD} -in key.pem`,
    `Password=${PASSWORD};Server=db`,
    `client_secret: "${PASSWORD}"`,
    `password: |\n  ${PASSWORD}\n`,
  ])('%s', (text) => {
    expect(found(text)).toEqual([PASSWORD]);
  });
});

test('a hashed password, as htpasswd and shadow hold it', () => {
  const hashed = `$apr1$${madeUp(8)}$${madeUp(22)}`;
  expect(found(`alice:${hashed}\n`)).toEqual([hashed]);
});

describe('an ampersand in a password', () => {
  const WITH = ['Tea', '4&Two77'].join('');
  test.each([
    `DB_PASS=${WITH}\n`,
    `db:\n  password: ${WITH}\n`,
    `spring.datasource.password=${WITH}\n`,
    `Server=db;Database=a;User Id=sa;Password=${WITH};\n`,
    `'PASSWORD': '${WITH}',`,
  ])('is a part of it: %j', (text) => expect(found(text)).toEqual([WITH]));

  test.each([
    [`?user=me&password=${PASSWORD}&next=home`, PASSWORD],
    [`?user=me&amp;password=${PASSWORD}&amp;next=home`, PASSWORD],
    [`DB_PASS=${PASSWORD}&& make`, PASSWORD],
    [`PGPASSWORD=${PASSWORD} psql &\n`, PASSWORD],
  ])('or the end of it: %s', (text, password) => expect(found(text)).toEqual([password]));
});

/** Words that end like a name in code, and all four kinds of characters. */
test.each([
  ['Monkey', '22'],
  ['caroline', '1'],
  ['Monkey', 'Magic'],
  ['Admin', '@123'],
  ['john.smith', '1985'],
  ['hunter', '2'],
  ['blue-monday', '-7'],
])('%s%s is a password', (...pieces) => {
  const password = pieces.join('');
  for (const text of [`'PASSWORD': '${password}',`, `DB_PASS=${password}\n`, `db:\n  password: ${password}\n`])
    expect(found(text)).toEqual([password]);
});

describe('texts in the place of a password', () => {
  test.each([
    // Words, placeholders, references.
    'password: secret',
    "password: 'changeme123'",
    'DB_PASS=your-password-2',
    `<password>\${db.password2}</password>`,
    'password = "<password1>"',
    `PASSWORD=\${DB_PASS2}`,
    'password: {{ vault_db_password_2 }}',
    'password: process.env.DB_PASSWORD2',
    "password = os.environ['DB_PASS_2']",
    'password = settings.DB_PASSWORD2',
    'password=password2',
    'mysql -u root -p$MYSQL_PASS2 app',
    'sshpass -p "$SSHPASS2" ssh web1',
    `IDENTIFIED BY '\${password2}'`,
    'requirepass foobared',
    // Code: types, calls, members, other names.
    'password: str',
    'password: Option<String>,',
    '  password: HashedPassword2\n',
    'password = getPassword2()',
    'const password = userPassword1;',
    'let password = decode2;\n',
    'self.password = sunflower2\n',
    'login(user, password, otp2code)',
    'private final PasswordEncoder passwordEncoder;',
    "password: 'passwordField1'",
    "type: 'password', autocomplete: 'currentPassword'",
    '@inquirer/password": "npm:^4.0.23"',
    'passwordEncoder = "bcrypt2a"',
    'password_hashers: "pbkdf2_sha256"',
    'host all all 0.0.0.0/0 password scram-sha-256',
    'let render_pass = RenderPass2d {',
    'Pass: `--allow-net=127.0.0.1:4553`',
    '# Pass dns_servers=None',
    '// the report is identified by activeReport',
    "ssl_ciphers 'AES128:!EXP:!PSK:!SRP:!DSS:CAMELLIA256-SHA';",
    'PASS: loadingFinished',
    'PASS: reads2files',
    'PASS test2run',
    '// the parent (identified by parentAttemptJobID) has one',
    'ps -p 12345678 -o pid',
    'mkdir -p dist/es2015',
    // A mere word that may be a translation, a type, a value of code, or the default of a service.
    'login:\n  username: benutzername\n  password: geheimwort\n  forgot: vergessen\n',
    'password: wachtwoord\n',
    'de:\n  password: passwort\n',
    '  const user = app\n  password: hunting\n  more()\n',
    'host: localhost\npassword: string\n',
    'host: localhost\npassword: postgres\n',
    'host: host_name\npassword: password\n',
    'port = 5432\npassword = readline\n',
    // Names of other numbers, and numbers that stand for one.
    'status_code = 4041',
    'led_pin = 4711',
    'access_code: 1234',
    'ADMIN_PIN=0000',
    'error_code: 471193',
    // Words of commands and devices without a password behind them.
    'net user alice /delete',
    'the net user experience2day',
    'rabbitmqctl add_user --help2me',
    'enable secret scanning2go for all of them',
    'enable password hashing',
    'chpasswd <<EOF\n$users\nEOF',
    'a user named alice2bob',
    // Sentences behind the name of a phrase.
    'passphrase: "must have 8 characters"',
    'passphrase = "This is the 2nd prompt"',
    // Translations, labels, sentences, style.
    '"password": "Passwort",',
    '"forgotPassword": "Vergessen2go",',
    '"password": "Contraseña",',
    'confirm_password: Potvrzení hesla',
    '"s3-access-key": "S3-åtkomstnyckel",',
    'token_placeholder: eyJhbGciOi......',
    '"git_password": "HTTPS-Git-Passwort",',
    '"WebDAV password": "WebDAV-wachtwoord",',
    'password: must be at least 8 characters',
    'Password must be at least 8characters long',
    '<label for="password" class="tw-flex-1">',
    '<label>Password</label>',
    '.password { color: #ff00aa; width: 128px }',
    'password: "^[A-Za-z0-9]{8,}$"',
    'password: "/etc/app/password2.txt"',
    'password: "https://acme.net/reset2"',
    'password: "me2@acme.net"',
    'it("resets the password2 of a user", () => {})',
    'src/app.c:1234:main:error:undefined2',
    '"password": "%s2day"',
  ])('%s', (text) => {
    expect(found(text)).toEqual([]);
    expect(found(`${text}\n`)).toEqual([]);
  });
});

describe('code that reads like a token stays whole', () => {
  test.each([
    'fn debug_live_tests_of_sandboxed_workers_and_their_gates() {',
    'fn test_sandbox_network_is_closed_for_workers_by_default() {',
    'async fn npm_modules_are_included_in_import_order() {',
    'def test_api_returns_the_same_order_as_the_database2(self):',
    'pub fn sandbox_fallback_authorization_details_from_meta(',
    'chart_1_key = f"CHART-{chart_1.uuid}"',
    `api: eJz${madeUp(90)}`,
    'let base_key = Material2dKey {',
    'layer_key: Material2dBindGroupKey3,',
    'let private_key = BASE64_URL_SAFE_NO_PAD\n    .decode(x)',
    `let source_map = "${Buffer.from('{"version":3,"sources":["a1b2c3.ts","d4e5f6.ts"]}').toString('base64')}"`,
    `data-points="${Buffer.from('[{"x":189.0927,"y":348.5},{"x":251.658,"y":410.5}]').toString('base64')}"`,
  ])('%s', (text) => {
    expect(found(text)).toEqual([]);
  });

  test('and a token of the same length is still found', () => {
    expect(found(`fn npm_${madeUp(36)}() {`)).toEqual([`npm_${madeUp(36)}`]);
    expect(found(`let base_key = "${madeUp(32)}"`)).toEqual([madeUp(32)]);
    expect(found(`sandbox_${madeUp(40)}`)).toEqual([`sandbox_${madeUp(40)}`]);
  });
});

describe('a private key in JSON (JWK)', () => {
  const [X, Y, D] = [madeUp(43, 'all', 'x'), madeUp(43, 'all', 'y'), madeUp(43, 'all', 'd')];
  test('its private members go, its public ones stay', () => {
    expect(found(`{"kty":"EC","crv":"P-256","x":"${X}","y":"${Y}","d":"${D}"}`)).toEqual([D]);
    expect(found(`{"d": "${D}",\n "n": "${X}", "kty": "RSA"}`)).toEqual([D]);
    expect(found(`const jwk = { kty: 'oct', k: '${D}' };`)).toEqual([D]);
  });

  test('the same names outside of a key are none', () => {
    expect(found(`{"d":"${D}","k":"${X}"}`)).toEqual([]);
  });
});
