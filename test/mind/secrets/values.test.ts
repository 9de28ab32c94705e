/** Values that are secrets because of what stands before them. */
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../../src/mind/secrets/scan.ts';
import { madeUp, uuid } from './made-up.ts';

const HEX = madeUp(32, 'hex');
const ALL = madeUp(32);
const LOWER = madeUp(24, 'lower');
const SUM = madeUp(40, 'hex');
const PASSWORD = ['Tr0ub', '4dor&3x'].join('');

/** What is found, as text. */
const found = (text: string) => findSecrets(text).map(({ from, to }) => text.slice(from, to));

describe('a secret behind a name that says so', () => {
  test.each([
    ['code', `const apiToken = '${ALL}';`, ALL],
    ['code with a type', `var authToken string = "${LOWER}"`, LOWER],
    ['an operator of another language', `$secretKey .= "${HEX}"`, HEX],
    ['a variable of a shell', `export CLIENT_SECRET=${ALL}`, ALL],
    ['a line of an env file', `A=1\nDB_API_KEY=${HEX}\nB=2`, HEX],
    ['JSON', `{"access_token": "${ALL}", "expires_in": 3600}`, ALL],
    ['JSON in JSON', `{"config": "{\\"private_key\\": \\"${ALL}\\"}"}`, ALL],
    ['YAML', `auth:\n  token: ${LOWER}\n  user: me`, LOWER],
    ['YAML with a block', `password: |\n  ${ALL}\n`, ALL],
    ['an element', `<apiKey>${HEX}</apiKey>`, HEX],
    ['an element of several lines', `<accessToken>\n    ${ALL}\n</accessToken>`, ALL],
    ['an argument', `System.setProperty("API_TOKEN", "${ALL}")`, ALL],
    ['an address', `https://example.org/v1?api_key=${HEX}&page=2`, HEX],
    ['a connection string', `Endpoint=sb://x.example.net/;SharedAccessKey=${ALL}=;EntityPath=a`, `${ALL}=`],
    ['a UUID', `client_secret: ${uuid()}`, uuid()],
    ['a sentence', `the token is ${ALL}.`, ALL],
    ['a log', `[DEBUG] using key = ${HEX}`, HEX],
    ['a password', `password: "${PASSWORD}"`, PASSWORD],
    ['a password with signs', `DB_PASSWORD='${PASSWORD}!#'`, `${PASSWORD}!#`],
    ['a part of a connection string', 'jdbc:mysql://db.example.net/a?user=app&password=sunflower', 'sunflower'],
    ['the same with semicolons', 'Server=db;User Id=app;Password=sunflower;', 'sunflower'],
    ['a signed address', `https://a.example.net/b?se=2030-01-01&sig=${ALL}`, ALL],
    ['an attribute beside', `<add key="Password" value="${PASSWORD}" />`, PASSWORD],
    ['a name and a value, one line each', `- name: API_TOKEN\n  value: ${LOWER}\n`, LOWER],
    ['an option', `deploy --token ${LOWER} --force`, LOWER],
    ['a line of a Dockerfile', `ENV API_TOKEN ${LOWER}`, LOWER],
    ['a name in capitals and a blank', `acme SECRET ${'abcdef1234567890'.repeat(2)}`, 'abcdef1234567890'.repeat(2)],
    ['counted up by hand', `api_token = "${'abcd1234'.repeat(4)}"`, 'abcd1234'.repeat(4)],
    ['groups', `acme_key: "F1A-NEI-HY4-PZK"`, 'F1A-NEI-HY4-PZK'],
    ['short pieces', 'Key=wdvn-usa87a-fxp9ioas', 'wdvn-usa87a-fxp9ioas'],
    ['below a line that announces it', `use this password:\n\n${HEX}\n`, HEX],
    ['netrc', 'machine a.example.net login me password sunflower1', 'sunflower1'],
    ['netrc of several lines', 'machine a.example.net\n  login me\n  password sunflower1\n', 'sunflower1'],
    ['.npmrc', `//registry.example.net/:_authToken=${uuid()}`, uuid()],
    ['a part behind a blank', 'Server=db; User Id=app; Password = sunflower; Pooling=1', 'sunflower'],
    ['a word in an address', 'ftp://me:sunflower@files.acme.net/a', 'sunflower'],
    ['a token as the user of an address', `https://${ALL}@git.acme.net/a.git`, ALL],
    ['a maker before it', `acme_${madeUp(34)}`, `acme_${madeUp(34)}`],
    ['a name glued to it', `acmeSecretKey-${HEX}`, HEX],
    ['a login that is a token', `SONAR_LOGIN=${HEX}`, HEX],
    ['a login below the name of a service', `sonar:\n  login: ${HEX}\n`, HEX],
    ['beside the id of a key', `token for key id 4: ${ALL}`, ALL],
    ['a primary key, as a portal calls it', `The primary key is ${ALL}${ALL}==`, `${ALL}${ALL}==`],
    ['the cookie of a display', `MAGIC_COOKIE=${HEX}`, HEX],
    ['a name without vowels', `SMTP_PW_PRD_EU1=${ALL}`, ALL],
    ['a signature that lets one in', `PAYPAL_SIGNATURE="${ALL}"`, ALL],
    ['what a line of code gives', `client.apiKey // => '${ALL}'`, ALL],
    ['behind a place for it', `\${API_KEY} -> ${ALL}`, ALL],
    ['an element that is named so', `<apiKey id="${ALL}"/>`, ALL],
    ['a vendor with a number', `NEW_RELIC2=${HEX}`, HEX],
    ['a vendor in one word', `hubSpot2024: ${HEX}`, HEX],
    ['a vendor', `algolia: ${HEX}`, HEX],
    ['a vendor in a name', `const sendgridConfig = ["${ALL}"]`, ALL],
  ])('%s', (_, text, secret) => {
    expect(found(text)).toEqual([secret]);
  });
});

describe('no secret', () => {
  test.each([
    "token: 'PROVIDER_3'",
    // From real repositories: names of users, constants and symbols, pictures, elements, and the mark of a cache.
    '// default solver_type: L2R_L2LOSS_SVC_DUAL\n',
    "{2: 'IE1fR1AI1BX2EE', 3: 'IE1fR1AI1BXL2EEE', 4: 'IE1fvR1AI1BXL2EEE'}",
    `image_base64 = "iVBORw0KGgoAAAANSUhEUgAAAB0AAAAd${ALL}"`,
    'the Elastic net</text></g><g data-cell-id="lidfMP7FeTC4yG16FXWw-38"/>',
    '<g>the Elastic net</g></defs><g><!--MD5=[631d54569d64dd7be7afb1602a233020]',
    'Signature: 8a477f597d28d172789f06886806bc55\n',
    '"bytes": "L2hvbWUvdWJ1bnR1L2xpYv8ucnM="',
    // Change logs, fingerprints of keys, mails, sums of files, hosts.
    `- fix: the order of \`Object.keys\` ([\`${SUM}\`](https://git.example.org/a/b/commit/${SUM}))`,
    `- fix: strip events from the page ([\`${SUM}\`](https://git.example.org/a/b/commit/${SUM}))`,
    `assertThat(id).containsEntry("full", "${SUM}");`,
    'sudo apt-key adv --keyserver keyserver.example.org --recv-keys 4F71C0B2A93D8E56',
    `thread-index: AdnX/${madeUp(14)}+${madeUp(7)}==`,
    'Content-Type: multipart/mixed; boundary="Acme-Mail=_7C41D09A-5E2B-4F83-9A6D-1B0E58C7F392"',
    '--Acme-Mail=_7C41D09A-5E2B-4F83-9A6D-1B0E58C7F392--',
    `"acme.js": "acme-${madeUp(24)}.js"`,
    `assertThat(archive).containsKeys("${madeUp(64, 'hex')}/layer.tar");`,
    '"hostname":"acme-db.kqxg2w2z3vjfx7pqz4.eu-west-3.rds.acme.com"',
    '"SandboxKey": "/var/run/acme/netns/7be4c19d02fa"',
    'privateKey = "classpath:org/acme/boot/amqp2/client.key"',
    `signature: "${madeUp(64, 'hex')}"`,
    `headers: { "X-Acme-Signature" => "${madeUp(27)}=" }`,
    // Code: functions, types, results, tests; ciphers, symbols, drawings, sentences.
    'parsers.add(new Parser(HEADER, FOOTER, PemPrivateKeyReader::readKeySpecOfPkcs8));',
    'register_algorithm :scrypt3, StrongPassword::Scrypt3Password',
    `#   SecureRandom.base58 # => "${madeUp(16)}"`,
    `assert_equal "${madeUp(22)}==", headers["x"]`,
    `script-src https: 'nonce-${madeUp(14)}+c='`,
    'cookies that are encrypted with HMAC AES-192-CBC',
    `{"p":"a","h":{"iv":"${madeUp(16)}","at":"${madeUp(22)}=="}}`,
    `legacy_message = "${madeUp(60)}"`,
    "{2: 'I_DpiE4SIJX(Ts)EEE', 3: 'I_DpiE4SIJX7TsEEE'}",
    'log("xX0XxX0XxX0Xx Redis is here xX0XxX0XxX0Xx")',
    `where \`${madeUp(27)}\` names it`,
    // Addresses: of a discussion, of what depends on a package, of a video.
    `(https://groups.google.com/group/the-acme-core-group/browse_thread/thread/${madeUp(16, 'hex')})`,
    `GitHub says it is [used](https://github.com/acme/tool/network/dependents?package_id=${madeUp(22)}%3D%3D)`,
    `si: '${madeUp(16)}'`,
    // A sum in JSON is what its own name says.
    `{"session":"s","tokens_in":5,"packet":"${'9f86d081884c7d659a2feaa0c55ad015'.repeat(2)}"}`,
    'https://example.org/login?user=me&password=changeme',
    'Server=db;Password=your_password;',
    'author=author_1',
    'password = "changeme"',
    'password: "password123"',
    'PASSWORD=your-password-here',
    'api_key = "xxxxxxxxxxxxxxxxxxxxxxxxxxxx"',
    `api_key = "<your api key>"`,
    'apiKey: process.env.ACME_API_KEY_V2',
    'token = os.environ["GITHUB_TOKEN_2"]',
    `token: \${{ secrets.NPM_TOKEN_2024 }}`,
    'PASSWORD=$DB_PASSWORD_2',
    `secret = get_secret("projects/1/secrets/name2")`,
    'const token = readToken2(file);',
    'max_tokens: 4096000000',
    'tokens = tokenizer.encode(text, max_length=512)',
    `integrity sha512-${madeUp(86)}==`,
    `"integrity": "sha512-${madeUp(86)}=="`,
    `golang.org/x/oauth2/auth v0.27.0 h1:${madeUp(43)}=`,
    `github.com/aws/aws-sdk-go-v2/credentials v1.19.16/go.mod h1:${madeUp(43)}=`,
    `commit ${madeUp(40, 'hex')}`,
    `uses: actions/create-github-app-token@${madeUp(40, 'hex')}`,
    `"gitHead": "${madeUp(40, 'hex')}"`,
    `id: '${uuid()}'`,
    `const publicKey = "${ALL}"`,
    `etag: "${HEX}"`,
    `sha256: ${madeUp(64, 'hex')}`,
    'bootstraptokenv1 "k8s.io/kubernetes/cmd/kubeadm/app/apis/bootstraptoken/v1"',
    'token_header = "HTTP_X_CSRFTOKEN_CUSTOMIZED"',
    '<path d="M10.5-3.2l4.5 192l25.926-44.727l38.233-19.114" key="a"/>',
    `url(data:font/woff2;base64,${madeUp(400)})`,
    'class PasswordResetTokenGenerator2(BaseGenerator): pass',
    'import { apiKeyV1Handler2 } from "./handlers/api-key-v1-handler2.ts"',
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
    'const apiVersion = "2024-06-01-preview"',
    'keyframes: cubic-bezier(0.25,0.1,0.25,1)',
    't-abcdefgh/implement/1/worker.run',
    `"parent_tool_use_id":"toolu_01${madeUp(22)}","request_id":"req_011${madeUp(21)}"`,
    `call: call_${madeUp(34)}\n`,
    '"run":"01K9ZQ8V7T3N4M5P6R7S8T9V0W"',
    `"prompt_cache_key": "${uuid()}"`,
    `const rsaKeyID = "${madeUp(43)}"`,
    `"arn:aws:ecs:us-west-1:123456789123:container/${uuid()}"`,
    'secretName: default-token-hu5jz',
    'const validTokenChars = "0123456789abcdefghijklmnopqrstuvwxyz"',
    `Jump: "KUBE-SEP-${madeUp(16, 'upper')}"`,
    '"token": "AppV1Controller"',
    'clientKey: /etc/srv/kubernetes/pki/konnectivity-server/client.key',
    'a username and password stored in the session',
    'http://user:password@example.com',
    'refs/supervisor/keys/t-0a1b2c3d/candidate-2',
  ])('%s', (text) => {
    expect(found(text)).toEqual([]);
    expect(found(`${text}\n`)).toEqual([]);
  });
});

/** Each stands beside something of the list above. */
describe('still a secret', () => {
  test.each([
    ['the name of a vendor in two words', `New Relic: ${HEX}`, HEX],
    ['a vendor in quotes, in a list', `Object.keys('algolia', '${HEX}')`, HEX],
    ['a key on the line of a link', `the key is \`${HEX}\`, see [here](https://example.org)`, HEX],
    ['the token of a server for keys', `KEYSERVER_TOKEN=${ALL}`, ALL],
    ['a password in a list of credentials', `"credentials":{"name":"a","password":"${LOWER}"}`, LOWER],
    ['the same with full stops', `acme.credentials.password: ${LOWER}`, LOWER],
    ['the key of a licence', `"license": "${ALL}"`, ALL],
    ['its number', `licenseNumber: "${ALL}"`, ALL],
    ['a key that begins like a path', `session_key = "/${ALL}"`, `/${ALL}`],
    ['a signed address', `https://a.example.net/b?X-Amz-Signature=${madeUp(64, 'hex')}`, madeUp(64, 'hex')],
    ['a signature that lets one in', `SharedAccessSignature = "${ALL}"`, ALL],
    ['behind two colons', `token::${ALL}`, ALL],
    ['a private value', `private "${ALL}"`, ALL],
    ['a key of a constant', `ACME2_API_KEY = "${LOWER}"`, LOWER],
    ['the result of a token', `user.auth_token # => "${ALL}"`, ALL],
    ['the key beside a nonce', `nonce: "abc", api_key: "${ALL}"`, ALL],
    ['a login', `test "Basic ${Buffer.from('someone:s3cr3t/word').toString('base64')}"`, undefined],
    ['a part of a key', `{"kty":"RSA","dp":"${ALL}"}`, ALL],
    ['the token of a vendor in an address', `https://api.example.org/acme?token=${ALL}&package_id=1`, ALL],
  ])('%s', (_, text, secret = /Basic ([^"]+)/.exec(text)?.[1]) => {
    expect(found(text)).toEqual([secret]);
  });
});

describe('the id of a session is no secret', () => {
  test.each([
    `{"session":"${uuid()}","turns":1}`,
    `{"tokens":5,"session_id": "${uuid()}"}`,
    `"sessionId": "${uuid()}"`,
    `the token and the key of claude -p --session-id ${uuid()}`,
    `"auth","--session-id","${uuid()}"`,
    `"a \\"key\\" with \\"session\\":\\"${uuid()}\\""`,
    `CODEX_SESSION_ID=${uuid().toUpperCase()}`,
    `api key, session id: ${uuid()}`,
  ])('%s', (text) => {
    expect(found(text)).toEqual([]);
  });

  test.each([
    ['any other value', `session_id: ${madeUp(32)}`, madeUp(32)],
    ['a hex value', `"session": "${HEX}"`, HEX],
    ['a cookie', `Cookie: session=${uuid()}`, uuid()],
    ['the cookie of a program', `cookies = {"session": "${uuid()}"}`, uuid()],
    ['a token of a session', `session_token: ${uuid()}`, uuid()],
    ['the key of a session', `session_key=${uuid()}`, uuid()],
    ['what lets one in', `auth_session = ${uuid()}`, uuid()],
    ['a secret', `secret_session_id: ${uuid()}`, uuid()],
    ['a UUID and more', `session: ${uuid()}=${madeUp(12)}`, `${uuid()}=${madeUp(12)}`],
    ['another name', `client_secret: ${uuid()}`, uuid()],
  ])('not %s', (_, text, secret) => {
    expect(found(text)).toEqual([secret]);
  });
});

/** What it belongs to may be seen by everybody; it may not. */
describe('the password of something open', () => {
  test.each([
    ...['GPG_PASSPHRASE', 'APPLE_CERTIFICATE_PASSWORD', 'CERT_PASSWORD', 'CSRF_SECRET', 'HASH_SECRET'],
    ...['SNAPSHOT_PASSWORD', 'SSL_CERT_KEY_PASSWORD', 'pgp.secretKeyRingPassword', 'PUBLIC_KEY_PASSPHRASE'],
  ])('%s', (name) => {
    const secret = madeUp(20);
    for (const text of [`${name}=${secret}`, `${name}: "${secret}"`, `  "${name}": "${secret}",`])
      expect(found(text)).toEqual([secret]);
  });
});
