/** How files, programs and commands assign a value to a name: finds the value after a name. */

export type AssignedValue = {
  readonly value: string;
  /** After its last character. */
  readonly to: number;
  /**
   * `assigned`: after an operator. `part`: of an address or a connection string. `netrc`: of a login for a machine.
   * `other`: after a blank, a comma or a bracket, in an element, in a list of names and values.
   */
  readonly how: 'assigned' | 'part' | 'netrc' | 'other';
  readonly quoted: boolean;
  /** `certain`: only a password can be there. `text`: only text. `any`: possibly code. `code`: most likely code. */
  readonly kind: 'certain' | 'text' | 'any' | 'code';
};

const QUOTE = `\\\\?["'\`]`;
const OPERATOR = '=>|:=|\\?=|={1,3}|:(?!:)\\*{0,2}|\\|\\||\\?\\?|or(?= )|-(?= ["\'])|value[ \\t]{0,2}=';
/** `: string =`, ` string =`, ` As String =`. */
const TYPE = `:[ \\t]?[&\\w.<>?' ]{1,24}=|[ \\t](?:As[ \\t])?\\w{1,16}[ \\t]?=`;
/** Wrappers that turn a text into bytes, a pointer or a guarded text. */
const WRAPPED =
  '(?:(?:new )?(?:\\[\\]byte|SecureString|SecretStr(?:ing)?|Some|String::from|aws\\.String|Buffer\\.from|bytes)\\(|ConvertTo-SecureString(?: -String)? )?';
const IN_QUOTES = `[bBrRuUN@]{0,2}(${QUOTE})((?:(?!\\2)[^\\s\\\\]){6,400})\\2`;
const QUOTED = new RegExp(
  `((?:${QUOTE})?[\\])]?[ \\t]{0,24}(?:${OPERATOR})|${TYPE})[ \\t]{0,24}${WRAPPED}${IN_QUOTES}`,
  'y',
);
const LISTED = new RegExp(`((?:${QUOTE}),[ \\t]{0,8}|[ \\t]?\\([ \\t]?|[ \\t]{1,8})${IN_QUOTES}`, 'y');
/** `&` inside a value: not before the next parameter of an address, an entity, another command or the end. */
const AMPERSAND = String.raw`&(?![\s&"'\x60\\]|$|[\w.%-]{1,40}=|(?:amp|lt|gt|quot|apos|nbsp|#\d{1,5});)`;
const PLAIN = new RegExp(
  String.raw`(?:\\?["'\x60])?\]?([ \t]{0,24})(=>|:=|\?=|=|:(?!:)\*{0,2})((?: [|>][-+]?\r?\n)?[ \t]{0,24})((?:[^\s"'\x60\\,;&<>()[\]{}]|${AMPERSAND}){6,100})(?=[\s&"'\x60\\]|;[\w ]{1,30}=|[;,]?(?:\n|$)|[ \t]?\}|,[ \t])`,
  'y',
);
const ELEMENT = /(?:<\/key>\s{0,20}<string|["'])?>\s{0,40}([^\s<>"'`]{6,100})\s{0,40}<\//y;
/** `${DB_PASS:-…}`, `${db.password:…}`: the default of a variable. */
const DEFAULT = /:[-=]?([^\s"'`${}]{6,100})\}/y;
/** `name: DB_PASS` and `value: …`, `variable "db_pass" {` and `default = …`: on the same line or below. */
const PAIRED =
  /["']?(?:,|[ \t]\{)?\s{1,40}(?:(?:type|description|sensitive|nullable)[ \t]*=[^\n]{0,200}\n\s{0,20}){0,4}["']?(?:value|default)["']?[ \t]{0,8}[:=][ \t]{0,8}["']?([^\s"'`,;{}()<>]{6,100})/y;
const NAMED = /(?:(?:name|key)["']?[ \t]?[:=]|variable)[ \t]?["']?$/i;
const LINE_END = /[ \t]*(?:\r?\n|$|[ \t][#;])/y;

/** The name is from `from` to `at`. Most ways to assign a value are tried only for passwords. */
export function givenTo(text: string, from: number, at: number, isPassword: boolean): AssignedValue | null {
  if (!isPassword) return quoted(QUOTED, text, at) ?? plain(text, from, at, false);
  const next = text[at];
  const blank = next === ' ' || next === '\t' ? (netrc(text, from, at) ?? bare(text, from, at)) : null;
  if (blank !== null) return blank;
  if (/[;&?] ?$/.test(text.slice(Math.max(0, from - 2), from))) return part(text, at);
  if (next === ':' && isVariable(text, from)) return matched(DEFAULT, text, at);
  return (
    inSettings(text, from, at, quoted(QUOTED, text, at)) ??
    inSql(text, from, quoted(LISTED, text, at)) ??
    plain(text, from, at) ??
    matched(ELEMENT, text, at) ??
    (NAMED.test(text.slice(Math.max(0, from - 16), from)) ? matched(PAIRED, text, at) : null)
  );
}

const isVariable = (text: string, from: number): boolean =>
  text.slice(Math.max(0, from - 40), from + 1).includes('${') || text.startsWith('${', from - 2);

/** The last group of the pattern means text. */
function matched(pattern: RegExp, text: string, at: number): AssignedValue | null {
  pattern.lastIndex = at;
  const [whole, value] = pattern.exec(text) ?? [];
  if (whole === undefined || value === undefined) return null;
  return { value, to: at + whole.lastIndexOf(value) + value.length, how: 'other', quoted: false, kind: 'text' };
}

function quoted(pattern: RegExp, text: string, at: number): AssignedValue | null {
  pattern.lastIndex = at;
  const [, , quote, value] = pattern.exec(text) ?? [];
  if (quote === undefined || value === undefined) return null;
  const to = pattern.lastIndex - quote.length;
  return pattern === QUOTED
    ? { value, to, how: 'assigned', quoted: true, kind: 'text' }
    : { value, to, how: 'other', quoted: true, kind: 'any' };
}

/** Before a name in code, where a value without quotes is no text. */
const STATEMENT = /(?:^|\n)[ \t]*(?:let|const|var|val|final|auto|public|private|protected|if|return)\s[^\n]{0,80}$/;
const MEMBER = /^(?:self|this)\./;
const HEAD = 120;
/** The next part of a connection string. */
const CONNECTION = /^;[\w ]{1,30}=/;

function plain(text: string, from: number, at: number, isPassword = true): AssignedValue | null {
  PLAIN.lastIndex = at;
  const [, before, operator, behind, value] = PLAIN.exec(text) ?? [];
  if (value === undefined) return null;
  const to = PLAIN.lastIndex;
  const next = text[to] ?? '\n';
  const tight = operator === '=' && before === '' && behind === '';
  if (!(tight && isPassword) && /["'`\\]/.test(next)) return null;
  const head = text.slice(Math.max(0, from - HEAD), from);
  if (tight && CONNECTION.test(text.slice(to, to + 40))) return { value, to, how: 'part', quoted: false, kind: 'text' };
  if (inFlow(text, from, to)) return { value, to, how: 'assigned', quoted: false, kind: 'text' };
  const isCode = MEMBER.test(text.slice(from, at)) || STATEMENT.test(head) || next === ',' || next === ';';
  return {
    value,
    to,
    how: 'assigned',
    quoted: false,
    kind: isCode ? 'code' : plainKind(text, { from, at, head, to, tight, operator }),
  };
}

/** `name: value`, with YAML above and below; code has commas and brackets there. */
const YAML_LINE = /^[ \t]*(?:- )?["']?[\w.-]+["']?:(?:[ \t]+[^,;{}()[\]<>]*)?$/;

type NameMatch = {
  readonly from: number;
  readonly at: number;
  readonly head: string;
  readonly to: number;
  readonly tight: boolean;
  readonly operator: string | undefined;
};

/** `DB_PASSWORD`, `spring.datasource.password`: a variable's or setting's name, not a name in code. */
const SETTING =
  /^(?:PGPASSWORD|[A-Z][A-Z\d]*_(?:[A-Z\d]+_)*PASS(?:WORD|WD)?|(?:[\w.-]*[._-])?(?:db|database|datasource|mysql|pg|postgres|mongo|redis|smtp|mail|ftp|ldap|amqp|keystore|truststore)[._-]pass(?:word|wd)?)$/;

function plainKind(text: string, { from, at, head, to, tight, operator = '' }: NameMatch): AssignedValue['kind'] {
  const inText = SETTING.test(text.slice(from, at)) ? 'certain' : 'text';
  if (tight) return ALONE.test(head) && endsLine(text, to) ? inText : 'any';
  if (operator === ':' && /-pass(?:in|out)?[ \t]$/.test(head)) return 'text';
  if (!endsLine(text, to)) return 'code';
  if (!operator.startsWith(':') || !ALONE.test(head)) return 'any';
  const above = head.split('\n').at(-2);
  const below = text.slice(to, to + HEAD).split('\n')[1];
  return YAML_LINE.test(above ?? '') && (below === undefined || below.trim() === '' || YAML_LINE.test(below))
    ? inText
    : 'any';
}

/** `DB_PASSWORD="…"`, as in shells and .env files. */
const inSettings = (text: string, from: number, at: number, given: AssignedValue | null): AssignedValue | null =>
  given !== null && /^=["']/.test(text.slice(at, at + 2)) && isSettingLine(text, from, at)
    ? { ...given, kind: 'certain' }
    : given;

const isSettingLine = (text: string, from: number, at: number): boolean =>
  SETTING.test(text.slice(from, at)) && ALONE.test(text.slice(Math.max(0, from - HEAD), from));

/**
 * `db: {user: app, password: …}`, `- { name: app, password: … }`, with YAML above and below; code has commas and
 * brackets there.
 */
const FLOW_BEFORE = /(?:^|\n)[ \t]*(?:- )?(?:["']?[\w.-]+["']?:[ \t]+)?\{[^{}()\n;"'`]{0,100}$/;
const FLOW_BEHIND = /(?:,[ \t]*["']?[\w.-]+["']?:[^{}()\n;]{0,100})?[ \t]*\}[ \t]*(?:\r?\n([^\n]{0,120})|$)/y;
const FLOW_LINE = /^[ \t]*(?:- )?(?:["']?[\w.-]+["']?:[ \t]*)?(?:\{[^{}()\n;]*\})?[ \t]*$/;

function inFlow(text: string, from: number, to: number): boolean {
  const head = text.slice(Math.max(0, from - HEAD * 2), from);
  if (!FLOW_BEFORE.test(head)) return false;
  FLOW_BEHIND.lastIndex = to;
  const behind = FLOW_BEHIND.exec(text);
  if (behind === null) return false;
  return isYaml(head.split('\n').at(-2) ?? '') && isYaml(behind[1] ?? '');
}

const isYaml = (line: string): boolean => YAML_LINE.test(line) || FLOW_LINE.test(line) || /^[ \t]*(?:#|---)/.test(line);

function endsLine(text: string, at: number): boolean {
  LINE_END.lastIndex = at;
  return LINE_END.test(text);
}

/** A part of an address or a connection string: only the password can be there, however it looks. */
const PART = new RegExp(String.raw` ?= ?((?:[^\s;&"'\x60<>{}()[\]$%\\]|${AMPERSAND}){5,100})(?=[;&"'\x60\s]|$)`, 'y');

function part(text: string, at: number): AssignedValue | null {
  PART.lastIndex = at;
  const value = PART.exec(text)?.[1];
  return value === undefined ? null : { value, to: PART.lastIndex, how: 'part', quoted: false, kind: 'text' };
}

/** `machine host login me password …`, as in netrc, on one line or on three. */
const LOGIN_BEFORE = /(?:^|\s)machine[ \t]+\S{1,80}\s+login[ \t]+\S{1,80}\s+$/;
const NETRC = /[ \t]+["']?([^\s"'<>{}$]{5,100})/y;

function netrc(text: string, from: number, at: number): AssignedValue | null {
  NETRC.lastIndex = at;
  const value = NETRC.exec(text)?.[1];
  if (value === undefined || /^[*.]+$|^your/i.test(value)) return null;
  if (!LOGIN_BEFORE.test(text.slice(Math.max(0, from - 200), from))) return null;
  return { value, to: NETRC.lastIndex, how: 'netrc', quoted: false, kind: 'text' };
}

/** A statement about a user: only a password follows its keyword. */
const USER_STATEMENT =
  /\b(?:create|alter)[ \t\n]+(?:user|role|login|group)\b[^;]{0,200}$|\bgrant\b[^;]{0,200}\bto\b[^;]{0,100}$/i;
const inSql = (text: string, from: number, given: AssignedValue | null): AssignedValue | null =>
  given !== null && USER_STATEMENT.test(text.slice(Math.max(0, from - 300), from))
    ? { ...given, kind: 'certain' }
    : given;

/** `SET PASSWORD FOR 'app'@'%' = '…'`, and PostgreSQL's `PASSWORD $$…$$`. */
const SET_FOR = /[ \t]+FOR[ \t]+[^\s=]{1,80}[ \t]*=[ \t]*(?:PASSWORD\()?["']([^\s"']{6,100})/iy;
const DOLLARS = /[ \t]+\$\w{0,20}\$([^\s$]{6,100})(?=\$\w{0,20}\$)/y;

/** `IDENTIFIED BY '…'`, with the method before it. */
const IDENTIFIED =
  /[ \t\n]{1,8}(?:WITH[ \t]+\S{1,40}[ \t]+)?(?:BY|AS)[ \t\n]{1,8}(?:PASSWORD[ \t]+)?(?:["'`]([^\s"'`]{6,100})|([^\s"'`;,()]{6,100})(?=;|[ \t]*(?:\n|$)))/iy;
const BARE = /[ \t]{1,24}["']?([^\s"'`;,()[\]{}<>]{6,100})["']?/y;
/** The name is alone on its line, or after what sets a variable. */
const ALONE = /(?:^|\n)[ \t]*(?:[#;+>*-]{1,2} ?)?(?:(?:ENV|ARG|setenv|set(?: -\w+)*|export)[ \t]+)?$/i;
const OPTION = /(?:^|[\s"'`])--?[\w-]{0,20}$/;

/** After a blank. */
function bare(text: string, from: number, at: number): AssignedValue | null {
  if (/^identified$/i.test(text.slice(from, at))) {
    IDENTIFIED.lastIndex = at;
    const [whole = '', inQuotes, value = inQuotes] = IDENTIFIED.exec(text) ?? [];
    if (value === undefined) return null;
    const to = at + whole.lastIndexOf(value) + value.length;
    const kind = inQuotes === undefined || whole.endsWith('`', whole.length - inQuotes.length) ? 'any' : 'certain';
    return inSql(text, from, { value, to, how: 'other', quoted: false, kind });
  }
  const set = matched(SET_FOR, text, at) ?? matched(DOLLARS, text, at);
  if (set !== null) return { ...set, kind: 'certain' };
  const found = matched(BARE, text, at);
  if (found === null) return null;
  const head = text.slice(Math.max(0, from - 40), from);
  if (OPTION.test(head + text.slice(from, Math.min(at, from + 2)))) return found;
  return ALONE.test(head) && endsLine(text, BARE.lastIndex) ? { ...found, kind: 'any' } : null;
}
