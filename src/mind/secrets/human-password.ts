/** Whether a value may be a password that a person chose, which need not look random. */
import { isHarmless, isPlaceholder, isReference } from './harmless.ts';
import { spaced } from './names.ts';

const PRINTABLE = /^[!-~]{6,100}$/;
const LETTER_AND_DIGIT = /[A-Za-z].*\d|\d.*[A-Za-z]/;
/** `blueMonday`, `Sun!flower`, `Sunshine!`, as people write them; `WebDAV-Passwort` is a word of a label. */
const MIXED = /^[^-]*[a-z][A-Z][^-]*$|[A-Za-z][!#$%^&*+=?@~|].*[A-Za-z]|^[A-Za-z]{5,}[!#$%^*+=@~]{1,3}$/;
/** All four kinds of characters, as a policy requires: `Admin@123` is a password, `admin123` a placeholder. */
const FOUR_KINDS = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[!#$%^&*+=?@~|])/;
/** `Admin1234`, `Passw0rd2024`: start like a word for a password, but people still choose them. */
const WORD_AND_YEAR =
  /^(?!(?:test|example|sample|dummy|fake|your|my|change|foo|bar|some))(?:[A-Z][a-z]{3,}\d{4}|[Pp][a@4][s5$]{2}w0rd\d{2,6})[!#$%&*+?@.]?$/i;
const CAPITAL_OR_ZERO = /^[A-Z]|w0/;
/** Words in names of code and labels of forms. */
const WORD =
  'pass|password|passwd|passphrase|pwd|secret|token|key|hash|auth|login|user|name|type|text|str|string|bytes|array|field|input|label|form|value|error|valid|invalid|option|config|required?|reset|change|confirm|current|button|component|encoder|service|provider|handler|schema|model|id|is|has|get|set|on|to|use|with|as|column|param|arg|item|line|step|var';
const CODE_WORD = new RegExp(`(?:^|[_-])(?:${WORD})s?(?:[_-]|$)`, 'i');
/** `userPassword2`, `input-pass-1`, `field3`: a name with a number. */
const COUNTED_NAME = new RegExp(`^[a-z_-]*(?:passw(?:or)?d|(?:^|[_-])(?:${WORD}))[_-]?\\d{0,3}$`, 'i');
/**
 * A member, a call, a reference, a template, an expression, a path, a mail address, a colour or a version, an option.
 */
const CODE_FORMS: readonly RegExp[] = [
  /^(?!.*\d{2}$)[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/,
  /^[\w$.]+[([].*[)\]]$/,
  /^[&*$%:<]\w+[%>]?$|^@(?:[A-Z_\d]+|\w+@)$/,
  /\{[^}]*\}|%[sdv(]|::|->|=>|&\w+;|<\w|:\/\//,
  /^\^|\[\w-\w|\(\?[:=!]|\\/,
  /^\.{0,2}\/|^[\w.@~-]+(?:\/[\w.@-]+)+$/,
  /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/,
  /^#[0-9a-f]+$|^0x|^\d[\d.]*(?:px|r?em|pt|v[hw]|ms|[smhdxkb%]|[kmg]i?b)$|^v?\d+\.\d+|\d\.\d+\.\d/i,
  /^-|^[A-Za-z_]\w*=/,
];

/** Whether a value may be a password that a person chose. Only asked after the name of a password. */
export function isHumanPassword(value: string): boolean {
  if (!PRINTABLE.test(value) || isHarmless(value) || CODE_FORMS.some((form) => form.test(value))) return false;
  const isOwn = FOUR_KINDS.test(value) || (WORD_AND_YEAR.test(value) && CAPITAL_OR_ZERO.test(value));
  if (isOwn ? isReference(value) : isPlaceholder(value)) return false;
  const words = spaced(value);
  if (COUNTED_NAME.test(words)) return false;
  return LETTER_AND_DIGIT.test(value) || (MIXED.test(value) && !CODE_WORD.test(words));
}

/** Names of services, and the usual first passwords in examples. */
const DEFAULT_WORDS =
  /^(?:postgres(?:ql)?|my_?sql|maria_?db|redis|mongo(?:db)?|rabbit(?:mq)?|guest|minio(?:admin)?|docker|laravel|forge|homestead|django|wordpress|keycloak|grafana|sonar(?:qube)?|vagrant|oracle|elastic(?:search)?|kafka|neo4j|nextcloud|gitlab|gitea|jenkins|airflow|superset|temporal|magento|drupal|joomla|prisma|supabase|hasura|sqlserver|system|server|manager|tester|developer|disabled|enabled|prompt|required|optional|ignore|unused|nothing|anything|whatever|something|hidden|masked|encrypted|function|string|boolean|integer|number|object|mandatory|generated|alphanumeric|authentication|confirmation|administrator|unchanged|unspecified|interactive|external|keyring|keychain|plaintext|cleartext|wachtwoord|passwort|kennwort|contrasena|adgangskode|passord|lozinka|salasana|motdepasse|jelszo|senha|heslo|parola)$/i;

/** A plain word where only a password can be: `DB_PASS=swordfish`, `IDENTIFIED BY 'swordfish'`. */
export const isWordAsPassword = (value: string): boolean =>
  /^[a-z]{6,30}$/.test(value) && !isPlaceholder(value) && !DEFAULT_WORDS.test(value) && !CODE_WORD.test(value);
