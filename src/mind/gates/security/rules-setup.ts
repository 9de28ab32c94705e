/** Safety that is switched off: TLS, permissions, weak hashes; web scripts that are run; workflows and images. */
import type { Severity } from '../../changes/finding.ts';

import type { SecurityRule } from './rule.ts';

const TLS = 'accepts any certificate, so that anybody on the way can read and change what is sent: remove it';
const HASH = 'is too fast a hash for passwords: use scrypt, bcrypt or Argon2';
const RIGHTS = 'lets every user of the machine write there: give rights to the owner only';
const RUNS_WEB = 'runs whatever a server sends: download it, compare its hash, then run it';

export const SETUP_RULES: readonly SecurityRule[] = [
  {
    rule: 'no-tls-check',
    families: ['script'],
    pattern:
      /\brejectUnauthorized['"]?\s{0,4}[:=]\s{0,4}(?:false|0)\b|\bNODE_TLS_REJECT_UNAUTHORIZED['"\]]{0,2}\s{0,4}[:=]\s{0,4}['"]?0/g,
    severity: 'medium',
    message: TLS,
  },
  {
    rule: 'no-tls-check',
    families: ['python'],
    pattern:
      /\bverify\s{0,4}=\s{0,4}False\b|\b_create_unverified_context\b|\bcheck_hostname\s{0,4}=\s{0,4}False\b|\bCERT_NONE\b|\bdisable_warnings\(\s{0,4}(?:urllib3\.exceptions\.)?InsecureRequestWarning/g,
    severity: 'medium',
    message: TLS,
  },
  {
    rule: 'no-tls-check',
    families: ['go'],
    pattern: /\bInsecureSkipVerify\s{0,4}[:=]\s{0,4}true\b/g,
    severity: 'medium',
    message: TLS,
  },
  {
    rule: 'no-tls-check',
    families: ['rust', 'ruby', 'java', 'php'],
    pattern:
      /\bdanger_accept_invalid_(?:certs|hostnames)\(\s{0,4}true|\bVERIFY_NONE\b|\b(?:ALLOW_ALL_HOSTNAME_VERIFIER|NoopHostnameVerifier|TrustAllStrategy)\b|\bCURLOPT_SSL_VERIFY(?:PEER|HOST)\s{0,4},\s{0,4}(?:false|0)\b|\bServerCertificateCustomValidationCallback\s{0,4}=[^;]{0,80}\btrue\b/g,
    severity: 'medium',
    message: TLS,
  },
  {
    rule: 'no-tls-check',
    families: ['shell', 'docker', 'workflow'],
    pattern:
      /\bcurl\b[^\n|;&]{0,200}?\s(?:-[a-zA-Z]{0,6}k[a-zA-Z]{0,6}|--insecure)(?=\s)|\bwget\b[^\n|;&]{0,200}?\s--no-check-certificate\b|\bgit\b[^\n|;&]{0,80}?\bhttp\.sslVerify[ =]false\b|\bNODE_TLS_REJECT_UNAUTHORIZED\s{0,2}[:=]\s{0,2}['"]?0|\bstrict-ssl[ =]false\b/g,
    severity: 'medium',
    message: TLS,
  },
  {
    rule: 'weak-password-hash',
    families: ['script', 'python', 'go', 'java', 'ruby', 'php', 'rust'],
    pattern:
      /\b(?:createHash\(\s{0,4}['"`](?:md5|sha-?1)['"`]\s{0,4}\)|hashlib\.(?:md5|sha1)|(?:md5|sha1)\.(?:New|Sum)|MessageDigest\.getInstance\(\s{0,4}"(?:MD5|SHA-?1)"\s{0,4}\)|Digest::(?:MD5|SHA1)(?:\.\w{3,12})?|(?<![\w$>.])(?:md5|sha1)\s{0,4}\()[^\n;]{0,80}?\b(?:\w{0,30}_)?(?:password|passwd|passphrase|pwd)\b/gi,
    severity: 'medium',
    message: HASH,
  },
  {
    rule: 'weak-password-hash',
    families: ['script', 'python', 'go', 'java', 'ruby', 'php', 'rust'],
    pattern: /\b(?:password|passwd|pwd)_?(?:hash|digest)\w{0,20}\s{0,4}:?=[^\n;=]{0,60}?\b(?:md5|sha1|MD5|SHA1)\b/gi,
    severity: 'medium',
    message: HASH,
  },
  {
    rule: 'open-rights',
    families: ['shell', 'docker', 'workflow'],
    pattern: /\bchmod\s{1,4}(?:-{1,2}[\w-]{1,20}\s{1,4}){0,3}(?:[0-7]?777|a\+rwx|ugo\+rwx|o\+w)\b/g,
    severity: 'medium',
    message: RIGHTS,
  },
  {
    rule: 'open-rights',
    families: ['script', 'python', 'go', 'ruby', 'php'],
    pattern: /\bf?l?[cC]hmod(?:Sync|Mode)?\s{0,4}\([^)\n]{0,200}?\b0?o?777\b/g,
    severity: 'medium',
    message: RIGHTS,
  },
  {
    rule: 'web-script',
    families: ['shell', 'docker', 'workflow'],
    pattern:
      /\b(?:curl|wget)\b[^\n|;]{0,300}\|\s{0,4}(?:sudo\s{1,4}(?:-\w\s{1,4})?)?(?:\/(?:usr\/)?bin\/)?(?:env\s{1,4})?(?:ba|z|da|k)?sh\b|\b(?:curl|wget)\b[^\n|;]{0,300}\|\s{0,4}(?:sudo\s{1,4})?(?:python3?|node|perl|ruby)\b(?!\s{1,4}-[cme])|\b(?:ba|z)?sh\s{1,4}(?:-c\s{1,4}["']?\$\(|<\()\s{0,4}(?:curl|wget)\b|\beval\s{1,4}["']?\$\(\s{0,4}(?:curl|wget)\b/g,
    severity: 'medium',
    message: RUNS_WEB,
  },
  {
    rule: 'eval',
    families: ['shell'],
    pattern: /(?<![\w.$/-])eval\s{1,4}["']?\$\{?[\w@*]/g,
    severity: (match): Severity => (/\$\{?[\d@*]/.test(match) ? 'high' : 'medium'),
    message: 'runs the value of a variable as a command: call the program with `"$@"`, or use `case`',
  },
  {
    rule: 'image-from-web',
    families: ['docker'],
    pattern: /^[ \t]{0,20}ADD[ \t]+(?![^\n]{0,200}--checksum=)(?:--\S{1,80}[ \t]+){0,4}(?:https?|ftp):\/\//gim,
    severity: 'medium',
    message: 'puts a file of the web into the image without comparing its hash: add `--checksum=sha256:…`',
  },
  {
    rule: 'workflow-trigger',
    families: ['workflow'],
    pattern: /\bpull_request_target\b/g,
    severity: 'medium',
    message: 'runs with the rights of the repository for changes of strangers: use `pull_request`',
  },
  {
    rule: 'workflow-rights',
    families: ['workflow'],
    pattern: /\bpermissions\s{0,4}:\s{0,4}write-all\b/g,
    severity: 'medium',
    message: 'gives the workflow every right: name the few that it needs',
  },
];
