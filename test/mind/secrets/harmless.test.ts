/** Values that look random and that everybody may see; beside each kind, what looks like it and is a secret. */
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../../src/mind/secrets/scan.ts';
import { madeUp, uuid } from './made-up.ts';

const HEX = madeUp(32, 'hex');
const SUM = madeUp(40, 'hex');
const ALL = madeUp(32);
const LOWER = madeUp(24, 'lower');
const found = (text: string) => findSecrets(text).map(({ from, to }) => text.slice(from, to));
const base64 = (text: string) => Buffer.from(text).toString('base64');

const EC = 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE';
const RSA = 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA';

describe('is left', () => {
  test.each([
    ['a time', '"password_expires_at": "2016-11-06T15:32:17.000000"'],
    ['a time behind a name that asks for a secret', 'token: 2016-11-06T15:32:17Z'],
    ['a path of the machine', 'KAFKA_CREDENTIALS_LOCATION="/etc/kafka/secrets/$KAFKA_CREDENTIALS"'],
    ['a volume', '      - ../../fixtures/secrets:/etc/kafka/secrets'],
    ['the second of two volumes', 'VOLUME ["/etc/kafka/secrets", "/var/lib/kafka/data"]'],
    ['a path with a number', 'ansible_ssh_private_key_file: "/tmp/inventory-cloudj9cGz5/identity"'],
    ['the public half of a key', `"key": "${RSA}${ALL}${ALL}IDAQAB"`],
    ['of an elliptic curve', `"rawBytes": "${EC}2G2Y+2tabdTV5BcG${ALL}${ALL}==",`],
    ['of SSH', `ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ${ALL}${ALL} me@host`],
    ['a signature in a variable', `const detachedSignatureHex = "${HEX}${HEX}"`],
    ['an algorithm', 'SecretKeyFactory.getInstance("PBKDF2WithHmacSHA512");'],
    ['an algorithm with strokes', 'PASSWORD_ENCODER_CIPHER_ALGORITHM_DEFAULT = "AES/CBC/PKCS5Padding"'],
    ['an algorithm with low lines', '"keyDetails": "PKIX_ECDSA_P256_SHA_256"'],
    ['the name of an argument', 'public String tokenForHmac(String base64hmac) {'],
    ['the name of a variable', 'ScramCredentialData secondAlpha256Credential ='],
    ['an id of a service', `"__meta_scaleway_instance_id":      "${uuid()}",`],
    ['an id of a service, through a call', `HostedZoneId: aws.String("${LOWER.toUpperCase()}"),`],
    ['the sum of a module', `github.com/huandu/xstrings v1.3.3 h1:/Gcsuc1x8JVbJ9/${ALL}=`],
    ['a name in letters of all languages', 'GTLD: "xn--clchc0ea0b2g2a9gcd",'],
    ['a sum of IPFS', `'$link' => 'bafkrei${madeUp(52, 'upper').toLowerCase()}'`],
    ['a readable text', `utf8_accents: '${base64('Café Eñe, and more')}'`],
    ['an object without a secret', `X-Container-Stat: ${base64('{"name":"root","size":4096,"mode":2147484096}')}\n`],
    ['zeros', `goldenV0 = "AQAEgBQAAAAkAAAAAAAAADAAAAABAgAA${LOWER}"`],
    ['a name with a UUID', `{Name: "name", Value: "k8s_some-name_some-other-name-5j8s8_kube-system_${uuid()}_0"},`],
    ['a path of sums', `[]byte(\`[{"Layer":"blobs/sha256/${HEX}${HEX}"}]\`)`],
    ['what a cluster gave something', `"Target": "${LOWER}a"`],
    ['what only the owner of a key can read', `  slack:\n    secure: ${ALL}${ALL}${ALL}=\n`],
    ['a run in lower case', `$v = new Validator(['foo' => '01gd6r360bp37zj17nxb55yv40'])`],
    ['a word and a short sum', `  !*** external "alpha_6a3e2c513c0f9a6ca058" ***!`],
    ['a class of a style sheet', '"subClass": "local-Ident-name.module--subClass--4o6O5CPJI6",'],
    ['what a file was checked with', `// flow-typed signature: ${HEX}`],
    ['how a request is signed', '"Authorization": "AWS4-HMAC-SHA256 Credential='],
    ['the sum of an object beside its key', `"object": {"key": "myphoto.jpg", "eTag": "${HEX}"}`],
    ['a drawing in an address', `https://mermaid.live/edit#pako:eNqVkc9OwzAMxl8l8nnj${ALL}`],
    ['letters from to', `String token = "[0-9A-Za-z!#$%&'*+.^_|~-]+";`],
    ['an address of something in code', 'creds = credentials.New(&s3WebIdentityIAM)'],
    ['a sentence without blanks', '        password: 至少需要8个字符\n'],
    ['a place for something', `'Crypto-Key' => "dh=#{Webpush.encode64(payload.fetch(:server_public_key))}",`],
    ['a program', `const wasmBase64 = 'AGFzbQEAAAABJwdgAX8Bf2ADf39${ALL}'`],
    ['our own evidence', `without the 1 new ones (test/a.test.ts); they pass as well (evidence ${HEX}${HEX})`],
    ['a number of code', '+=r?u:-u),u=0,l+=(s.dummy?e:t)/2,l+=(o.dummy?e:t)/2'],
  ])('%s', (_, text) => {
    expect(found(text)).toEqual([]);
  });
});

describe('is found', () => {
  const IN_OBJECT = base64(`{"username":"me","password":"${ALL}"}`);
  const PRIVATE = `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${ALL}${ALL}`;
  const OPENSSH = `b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAA${ALL}`;
  test.each([
    ['a password that begins like a year', "password: '2016-Tr0ub4dor&3x'", '2016-Tr0ub4dor&3x'],
    ['base64 that begins with a stroke', `client_secret = "/${ALL}/x"`, `/${ALL}/x`],
    ['the private half of a key', `"key": "${PRIVATE}"`, PRIVATE],
    ['the same of SSH', `SSH_PRIVATE_KEY=${OPENSSH}`, OPENSSH],
    ['with the name of an algorithm in it', `api_secret: "${HEX}sha256"`, `${HEX}sha256`],
    ['a password with a number in a word', 'password="P4$$word"', 'P4$$word'],
    ['a member that is none', `api_key: x.${ALL}`, `x.${ALL}`],
    ['behind a type and a name', `Secret apiToken = "${ALL}"`, ALL],
    ['behind a name in capitals', `acme TOKEN ${HEX}`, HEX],
    ['a key of an application', `app_key: ${uuid()}`, uuid()],
    ['the id of an access key', `access_key_id = "${ALL}"`, ALL],
    ['a key of a service', `scaleway = "${uuid()}"`, uuid()],
    ['a key in a list', `"scaleway": ["${uuid()}"]`, uuid()],
    ['more than the beginning', `"registrytoken": "${ALL}..."`, ALL],
    ['in an encoded object', `inputBase64: "${IN_OBJECT}"`, IN_OBJECT],
    ['a token in a path', `https://api.example.org/token/${ALL}`, ALL],
    ['an address with a signature', `https://a.example.net/b?se=2030-01-01&signature=${ALL}`, ALL],
    ['a key for signatures', `signature_key: "${ALL}"`, ALL],
    ['a maker before it', `acme_${SUM}`, `acme_${SUM}`],
    ['a password behind a word', `user app, pass: ${ALL}`, ALL],
    ['a password in a sentence', `the password is ${ALL}`, ALL],
    ['a session', `session_id = "${HEX}"`, HEX],
    ['a key that is a number', `private_key = 0x${HEX}${HEX}`, `${HEX}${HEX}`],
    ['a password with a sign and a digit', 'DB_PASSWORD=Sunflower$1', 'Sunflower$1'],
    ['the token of a page of a service', `statuspage_token = ${uuid()}`, uuid()],
    ['a password that has a stroke', 'password: "Sun/fl0wer!x"', 'Sun/fl0wer!x'],
    ['a signed address of a bucket', `https://s3.example.com/a?X-Amz-Signature=${HEX}${HEX}&b=1`, `${HEX}${HEX}`],
    ['the next name of a command, with a token', `A_SECRET=x B_TOKEN_OF=${ALL}`, ALL],
    ['a key with a number behind it', `api_key: "${ALL}98010048849317"`, ALL],
    [
      'a readable text behind a name',
      `client_secret: ${base64('correct horse battery staple')}`,
      base64('correct horse battery staple'),
    ],
    // What a review found that the rules for what is harmless must not hide.
    [
      'a password of a file with servers',
      `<Pass encoding="base64">${base64(ALL.slice(0, 16))}</Pass>`,
      base64(ALL.slice(0, 16)),
    ],
    ['a password of a log', `PASS ${ALL.slice(0, 16)}`, ALL.slice(0, 16)],
    ['a password in brackets', `ssh root@10.0.0.5 (user root pass ${ALL.slice(0, 16)})`, ALL.slice(0, 16)],
    ['a password behind a remark', `DB pass (prod): ${ALL}`, ALL],
    ['a message of NTLM', `Authorization: NTLM TlRMTVNTUAADAAAAGAAYAHIAAAAYABgAigAAAAAAAAAA${ALL}`, ALL],
    ['a token that begins with zeros', `new TwitterApi('AAAAAAAAAAAAAAAAAAAAA${ALL}%2B${HEX}')`, ALL],
    ['a ticket', `keytab: BQIAAABLAAIAB0VYQU1QTEUAAAAAAAAA${ALL}`, ALL],
    ['a key of SSH behind a sign', `SSH_KEY=\${K:-b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAAAAAA${ALL}}`, ALL],
    ['tokens by their owners', `{"tokens":{"alice":"${HEX}"}}`, HEX],
    ['a key of a service in JSON', `{"mailgun": "${HEX}"}`, HEX],
    ['a key of maps', `AMAP_KEY=${HEX}`, HEX],
    ['a key of the time before', `JWT_PREVIOUS_KEY=${ALL}`, ALL],
    ['the second key', `SECOND_KEY=${ALL}`, ALL],
    ['the second of two keys', `first_key: x\nsecond_key: ${HEX}`, HEX],
    ['a ticket of Kerberos', `keytab: YIIG${ALL}AAAAAAAAAA${ALL}`, ALL],
    ['the token of a page', `FB_PAGE_TOKEN=${ALL}`, ALL],
    ['a token for syncing', `FORK_SYNC_TOKEN=${SUM}`, SUM],
    [
      'a login in an encoded address',
      `  database-url: ${base64('postgres://admin:Summer2024@db.prod:5432/app')}\n`,
      base64('postgres://admi'),
    ],
    ['an encoded login', `mysql: ${base64('root:Summer2024!')}\n`, base64('root:Summer2024!')],
    ['an id that is a key', `OXR_APP_ID: "${HEX}"`, HEX],
    ['beside the id of an application', `algoliasearch("APP_ID", "${HEX}")`, HEX],
    ['a token for tags', `RELEASE_TAG_TOKEN=${ALL}`, ALL],
    ['a key that is not encrypted', `unencrypted_key = "${ALL}"`, ALL],
    ['a signature of Azure for reading', `READ_SAS=${ALL}`, ALL],
    ['the id of a hook', `webhook_id: "${ALL}"`, ALL],
    ['what a file holds', `SSH_KEY_FILE=${ALL}`, ALL],
    ['what came of it', `created -> acme_live_${ALL}`, ALL],
    ['with a remark behind it', `acme_sk_${ALL} [active]`, ALL],
    ['one that was replaced', `acme_${SUM} -> acme_${madeUp(40, 'hex', 'next')}`, madeUp(40, 'hex', 'next')],
    ['a secret with a sign and a digit', 'client_secret=Sunflower$1', 'Sunflower$1'],
    ['with a stroke and a full stop', 'password: "kX9pQ2mZ7w/Lr8.abc"', 'kX9pQ2mZ7w/Lr8.abc'],
    ['in capitals with a year', 'postgres://bob:SUMMER_24@db/x', 'SUMMER_24'],
    ['a seed of a wallet', `WALLET_SEED=0x${HEX}`, HEX],
    ['behind a path', `credentials/token ${SUM}`, SUM],
    ['a term in the middle of letters', 'login("password", "RTFDhttp2ebCWrb")', 'RTFDhttp2ebCWrb'],
    ['a token of two parts', `API_TOKEN=bKrUA6fKnBt00LRfv0TH.JvSagq`, 'bKrUA6fKnBt00LRfv0TH.JvSagq'],
    ['a short one with dots behind it', `password ${ALL.slice(0, 16)}...`, ALL.slice(0, 16)],
    ['a login of a directory', `curl -u "cn=admin,dc=x:${ALL}" ldap://a`, ALL],
    ['the salt of a signature', `signatureSalt: "${ALL}"`, ALL],
    ['credentials with an id', `"credentials":{"id":"${ALL}"}`, ALL],
    ['a token between brackets', `token \${${ALL}}`, ALL],
    ['short pieces and a term', 'app_secret: x509_lrpJqmQkfhXH', 'x509_lrpJqmQkfhXH'],
    ['a term between letters', 'new Stripe("YVpZAjCHk8suUpJNBRRcXPL")', 'YVpZAjCHk8suUpJNBRRcXPL'],
    [
      'letters behind a name about a file',
      'token_file = NKmwqNcrYwbOrNMPOuJzOyPGiFeKHYGX',
      'NKmwqNcrYwbOrNMPOuJzOyPGiFeKHYGX',
    ],
    ['the error of a login', `password_error: "${ALL}"`, ALL],
    ['groups of letters and digits', `{"facebook":"A1FAF-1B3FB-20CD1-1FEF2-1G3FC"}`, 'A1FAF-1B3FB'],
    ['with brackets in it', 'password: "x[a-b]Y9!kq"', 'x[a-b]Y9!kq'],
    ['with the beginning of a place', 'password: "aB3#{k9!xQ"', 'aB3#{k9!xQ'],
    ['a token of many numbers', `api_key = sha256${HEX}`, HEX],
    ['a member whose module is random', `API_TOKEN=x${LOWER.slice(0, 20)}.Value`, LOWER.slice(0, 20)],
    ['letters that are many', 'key mzqbwpxkvtjrhdgynfcls', 'mzqbwpxkvtjrhdgynfcls'],
    ['a name of a secret with a random part', `release-x9q8z7k6v5j4-${uuid()} api_key: ${ALL}`, ALL],
    ['a session by its number', `cookie_id = "${uuid()}"`, uuid()],
    ['a login of a command', `curl -u me:${ALL} https://a.example.net`, ALL],
  ])('%s', (_, text, secret) => {
    expect(found(text).join()).toContain(secret);
  });
});
