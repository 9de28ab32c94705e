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
    [
      'a path below a home that is called after a service',
      `(see /home/circleci/.cache/bazel/_bazel_circleci/${HEX}/x)`,
    ],
    ['the public half of a key', `"key": "${RSA}${ALL}${ALL}IDAQAB"`],
    ['of an elliptic curve', `"rawBytes": "${EC}2G2Y+2tabdTV5BcG${ALL}${ALL}==",`],
    ['of SSH', `ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ${ALL}${ALL} me@host`],
    ['a signature with its frame', `"sig": "3045022100${HEX}${HEX}0220${HEX}${HEX}"`],
    ['a signature in a variable', `const detachedSignatureHex = "${HEX}${HEX}"`],
    ['an algorithm', 'SecretKeyFactory.getInstance("PBKDF2WithHmacSHA512");'],
    ['an algorithm with strokes', 'PASSWORD_ENCODER_CIPHER_ALGORITHM_DEFAULT = "AES/CBC/PKCS5Padding"'],
    ['an algorithm with low lines', '"keyDetails": "PKIX_ECDSA_P256_SHA_256"'],
    ['a member of a module', 'if (signatureAlgorithm == s2av2pb.SignatureAlgorithm_S2A_SSL_SIGN_RSA_PKCS1_SHA256)'],
    ['a member that is no algorithm', '{[key: string]: i18n.I18nMeta}'],
    ['the name of an argument', 'public String tokenForHmac(String base64hmac) {'],
    ['the name of a variable', 'ScramCredentialData secondAlpha256Credential ='],
    ['coordinates of a package', 'slf4jApi: "org.slf4j:slf4j-api:$versions.slf4j",'],
    ['where a password will stand', 'esxi1_password: @ESXI1_PASSWORD'],
    ['the code of an error', `public const INVALID_PASSWORD_ERROR = '${uuid()}';`],
    ['the id of a hook', `"webhook_id": "${LOWER}"`],
    ['the id of an application', `listening on :5000  app.id=${uuid()}`],
    ['an id of a service', `"__meta_scaleway_instance_id":      "${uuid()}",`],
    ['an id of a service, through a call', `HostedZoneId: aws.String("${LOWER.toUpperCase()}"),`],
    ['where something of a service is found', `aws_instance.foo["${SUM}"]:`],
    ['the key of a map', `"customSD:Azure:${HEX}": {`],
    ['a key of a map by its number', `"second_key": "${uuid()}",`],
    ['a module and its commit', `github.com/acme/jwt-go ${SUM}`],
    ['the sum of a module', `github.com/huandu/xstrings v1.3.3 h1:/Gcsuc1x8JVbJ9/${ALL}=`],
    ['the beginning of a token', '"registrytoken": "9cbaf023786cd7..."'],
    ['a name in letters of all languages', 'GTLD: "xn--clchc0ea0b2g2a9gcd",'],
    ['a sum of IPFS', `'$link' => 'bafkrei${madeUp(52, 'upper').toLowerCase()}'`],
    ['a readable text', `utf8_accents: '${base64('Café Eñe, and more')}'`],
    ['an object without a secret', `X-Container-Stat: ${base64('{"name":"root","size":4096,"mode":2147484096}')}\n`],
    ['zeros', `h.Records[keySDRaw] = "AQAEgBQAAAAkAAAAAAAAADAAAAABAgAA${LOWER}"`],
    ['a calendar', `Google calendar <https://calendar.google.com/calendar/r?cid=${LOWER}@group.calendar.google.com>`],
    ['a name with a UUID', `{Name: "name", Value: "k8s_some-name_some-other-name-5j8s8_kube-system_${uuid()}_0"},`],
    ['a path of sums', `[]byte(\`[{"Layer":"blobs/sha256/${HEX}${HEX}"}]\`)`],
    ['nodes of a graph', `place_${SUM} -> transition_${SUM} [label="t1"];`],
    ['what a cluster gave something', `"Target": "${LOWER}a"`],
    ['what only the owner of a key can read', `  slack:\n    secure: ${ALL}${ALL}${ALL}=\n`],
    ['a run in lower case', `$v = new Validator(['foo' => '01gd6r360bp37zj17nxb55yv40'])`],
    ['a file of a format', 'df = pd.read_sas("sas_data.sas7bdat")'],
    ['a name as bundlers write it', 'axios.CancelToken = CancelToken$1;'],
    [
      'bytes in an alphabet of their own',
      'password:"pass1" options:<> > \tOK\tjhajebddajjajefefafdfecaabjegjfagcgccaaajj',
    ],
    ['a member between brackets', 'wantKVs: []*mvccpb.KeyValue{Rev7TxnPutFooA.Kv},'],
    ['a mail of a list', `https://mail.example.org/list/dev@python.org/message/${madeUp(32, 'upper')}/`],
    ['a number', `  root_seed = 0x${HEX}\n`],
    ['a constant', 'probe.key = RISCV_HWPROBE_KEY_IMA_EXT_0;'],
    ['a file beside', "read_csv(join(pwd, './data/pcg64-testset-1.csv'))"],
    ['a file in a folder', 's3_key="TEST/TEST1.csv",'],
    ['a word and a short sum', `  !*** external "alpha_6a3e2c513c0f9a6ca058" ***!`],
    ['a class of a style sheet', '"subClass": "local-Ident-name.module--subClass--4o6O5CPJI6",'],
    ['a variable and what stands for it', `_AIRFLOW_WWW_USER_PASSWORD: \${_AIRFLOW_WWW_USER_PASSWORD:-airflow}`],
    ['how far was read', `bq_cursor.page_token = "${uuid()}"`],
    ['the name of a secret', '"arn:aws:secretsmanager:us-east-2:999999999999:secret:db_cluster-a1B2c3D4"'],
    ['words with a number', 'K8S_DRIVER_STATUS_KEY = "k8s_driver_status"'],
    ['ways to log in', 'auth_method: AAD_APP/AAD_APP_CERT/AAD_CREDS/AAD_DEVICE/AZURE_TOKEN_CRED'],
    ['the number of a job', `"id": "job_${HEX}",`],
    ['an id beside a token', `'{"token":"mock","ti":{"id":"${uuid()}","task_id":"a"}}'`],
    ['an id whose name has a telling word', `SEED_TASK_INSTANCE_ID = "${HEX}"`],
    ['what counts visitors', "const google = isProd ? 'G-5NXDQLC2ZK' : 'G-XJ83JQEK7J';"],
    ['a commit', `- [core] Rename travis to circle as we migrated (${SUM}) @me`],
    ['what a file was checked with', `// flow-typed signature: ${HEX}`],
    ['a name and a number', "  key: 'nameEditor98010048849317',"],
    ['how a request is signed', '"Authorization": "AWS4-HMAC-SHA256 Credential='],
    ['a key that is encrypted', `"X-Minio-Internal-Encryption-S3-Sealed-Key": "IAAf${ALL}${ALL}=="`],
    ['what a cipher was begun with', `"X-Minio-Internal-Encryption-Iv": "${ALL}2E1k8Qz0yLs="`],
    ['the sum of an object beside its key', `"object": {"key": "myphoto.jpg", "eTag": "${HEX}"}`],
    [
      'a readable text beside a service',
      `"x-minio-internal-replica-timestamp": "${base64('2021-09-17T01:43:38.388985884Z')}"`,
    ],
    ['a drawing in an address', `https://mermaid.live/edit#pako:eNqVkc9OwzAMxl8l8nnj${ALL}`],
    ['letters from to', `String token = "[0-9A-Za-z!#$%&'*+.^_|~-]+";`],
    ['an address of something in code', 'creds = credentials.New(&s3WebIdentityIAM)'],
    [
      'the next name of a command',
      'MINIO_LAMBDA_WEBHOOK_ENDPOINT_function=http://localhost:5000 MINIO_LAMBDA_WEBHOOK_CLIENT_CERT=client.crt x',
    ],
    ['a file of a list', '"src/bzip2/testdata/pass-random1.bin", "src/bzip2/testdata/pass-random1.bz2"'],
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
    ['a login of a command', `curl -u me:${ALL} https://a.example.net`, ALL],
  ])('%s', (_, text, secret) => {
    expect(found(text).join()).toContain(secret);
  });
});
