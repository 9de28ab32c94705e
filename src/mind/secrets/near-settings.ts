/** Whether a password is among settings, such as a program's login: then even a plain word is a password. */

const MOST_LINES = 8;
const REACH = 400;
const LINE =
  /^[ \t]*(?:- )?["']?([\w.-]{1,40})["']?[ \t]*[:=][ \t]*(?:["']([^"'\n]{0,80})["']|([^"'\s,]{1,80})),?[ \t]*\r?$/;
/** Values that no translation of the name would have: a number, an address, a product, a login. */
const TECHNICAL: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/(?:^|[._-])port$/i, /^\d{2,5}$/],
  [/(?:^|[._-])(?:host|hostname|server|addr|address|url|uri|endpoint)$/i, /^localhost$|\d|\.\w|:\/\//],
  [
    /(?:^|[._-])(?:adapter|driver|database|dialect|engine|type)$/i,
    /\d|_|^(?:postgres(?:ql)?|mysql|sqlite|mongo(?:db)?|redis|mariadb|oracle|mssql|sqlserver|pg|smtp|ldap)$/i,
  ],
  [/(?:^|[._-])(?:pool|timeout|db)$/i, /^\d+$/],
  [/(?:^|[._-])(?:ssl|tls|sslmode|encrypt|starttls)$/i, /^(?:true|false|require|disable|on|off)$/],
  [
    /(?:^|[._-])(?:user|username|login)$/i,
    /[\d_@]|^(?:root|admin|administrator|app|sa|postgres|mysql|deploy|ops|backup|web|api|service|git|jenkins|ubuntu)$/,
  ],
];

/** The name starts at `from`; `to`: after the value. */
export function isAmongSettings(text: string, from: number, to: number): boolean {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const indent = /^[ \t]*(?:- )?/.exec(text.slice(start, from))?.[0].length ?? 0;
  const above = text
    .slice(Math.max(0, start - REACH), Math.max(0, start - 1))
    .split('\n')
    .reverse();
  const below = text
    .slice(to, to + REACH)
    .split('\n')
    .slice(1);
  const beside = [...besideOf(above, indent), ...besideOf(below, indent)];
  return beside.some((line) => isTechnical(line)) || (beside.length === 0 && isAloneInMap(text, above, below));
}

/** The lines of the same map, or the same section. */
function besideOf(lines: readonly string[], indent: number): string[] {
  const found: string[] = [];
  for (const line of lines.slice(0, MOST_LINES)) {
    const own = /^[ \t]*(?:- )?/.exec(line)?.[0].length ?? 0;
    if (own < indent || line.trim() === '') break;
    if (own === indent && LINE.test(line)) found.push(line);
  }
  return found;
}

function isTechnical(line: string): boolean {
  const [, name = '', quoted, plain] = LINE.exec(line) ?? [];
  const value = quoted ?? plain ?? '';
  return TECHNICAL.some(([names, values]) => names.test(name) && values.test(value));
}

/** Translations come in groups; a password may be alone: in the text, or below its heading. */
function isAloneInMap(text: string, above: readonly string[], below: readonly string[]): boolean {
  const rest = below.find((line) => line.trim() !== '');
  const head = above.find((line) => line.trim() !== '' && !/^\s*#/.test(line));
  return rest === undefined && (head === undefined || /^---|:[ \t]*\r?$/.test(head)) && text.length < REACH * 10;
}
