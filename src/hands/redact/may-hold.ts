/**
 * Decides whether a secretlint rule can match a text at all. Loading secretlint and scanning 60 clean source files took
 * 30 ms of processor time in a fresh process; this check takes 2 (measured 2026-11).
 */

/** The text up to a sign (`-`, `_`, `.` or `:`) or some letter, and the text right after it. */
type Need = readonly [before: string, behind: string];

/**
 * What a text must contain for each rule to report anything: one of these regular expressions. They are derived from
 * the installed version's expressions and may be wider, never narrower: a text that is skipped wrongly leaks.
 * Repetitions are bounded or cannot overlap, so a hostile text is not scanned twice.
 */
export const NEEDS: Readonly<Record<string, readonly Need[]>> = {
  '1password': [['ops_', 'ey[A-Za-z0-9+/=]{100}']],
  anthropic: [['sk-', 'ant-api0']],
  aws: [['[Aa](?:CCESS|ccess)_?[Kk](?:EY|ey)', `["']?\\s*(?:=>|[:=])\\s*["']?[A-Za-z0-9/+=]{40}`]],
  basicauth: [['(?:http|ftp)s?:', '//[-\\w]{1,256}:[-\\w]{1,256}@']],
  cloudflare: [['cf(?:k|ut|at)_', '[A-Za-z0-9]{40}']],
  'database-connection-string': [
    ['(?i:mongodb(?:\\+srv)?|mysqlx?|postgres(?:ql)?):', '//[^:/\\s]{1,100}:[^@/\\s]{1,200}@'],
  ],
  databricks: [['dapi', '[A-Fa-f0-9]{32}']],
  docker: [['dckr_pat_', '[\\w-]{27}']],
  figma: [['figd_', '[\\w-]{40}']],
  // Applies only to files called `.json` and `.p12`, which our texts are not.
  gcp: [],
  github: [
    ['gh[oprsu]_', '\\w{36}'],
    ['ghs_', '\\d{1,20}_'],
    ['github_pat_', '\\w{82}'],
  ],
  gitlab: [['glpat-', '[\\w-]{20}']],
  grafana: [
    ['glc_', '[A-Za-z0-9+/]{32}'],
    ['glsa_', '[A-Za-z0-9]{32}'],
  ],
  groq: [['gsk_', '[A-Za-z0-9]{52}']],
  'hashicorp-vault': [['hv[brs]\\.', '[\\w-]{90}']],
  huggingface: [['hf_', '[A-Za-z]{34}']],
  linear: [['lin_api_', '\\w{32}']],
  notion: [['ntn_', '\\d{11}']],
  // Its other two expressions are for files called `package.json` and `.npmrc`.
  npm: [['npm_', '\\w{36}']],
  openai: [
    ['sk-', '(?:admin|proj|svcacct)-[\\w-]{58}'],
    ['sk-', '[A-Za-z0-9]{20}T3BlbkFJ'],
  ],
  privatekey: [['PRIVATE KEY(?: BLOCK)?-', '----[A-Za-z0-9+/=\\s\\\\]{100}']],
  // Exactly 69 characters.
  sendgrid: [['SG\\.', '[\\w.-]{66}']],
  shopify: [['shp(?:at|ca|pa|ss)_', '[A-Za-z0-9]{32}']],
  slack: [
    ['(?:xox[abopr]|xapp)-', '[A-Za-z0-9]'],
    ['(?i:hooks)\\.', '(?i:slack\\.com/services/)'],
  ],
  stripe: [['[rs]k_(?:live|test)_', '[A-Za-z0-9]{24}']],
  tailscale: [['tskey-', '[a-z]{2}']],
  vercel: [['vc[aikpr]_', '[A-Za-z0-9]{20}']],
};

let needs: readonly RegExp[] | undefined;

export function mayHold(text: string): boolean {
  needs ??= expressions(Object.values(NEEDS).flat());
  return needs.some((one) => one.test(text));
}

const SIGNS = ['-', '_', '.', ':'];

/**
 * Two expressions, because one with alternatives that start with letters and with signs tries each at every character
 * (7 ns for each, measured 2026-11). Signs are rare, and few have the needed text after them: 2 ns.
 */
export function expressions(all: readonly Need[]): RegExp[] {
  const behindSigns = SIGNS.map((sign) => behind(sign, all)).filter((one) => one !== '');
  const others = all.filter(([before]) => !SIGNS.includes(before.at(-1) ?? '')).map(([before, rest]) => before + rest);
  return [behindSigns, others].filter((list) => list.length > 0).map((list) => new RegExp(list.join('|')));
}

function behind(sign: string, all: readonly Need[]): string {
  const rows = all.filter(([before]) => before.endsWith(sign));
  if (rows.length === 0) return '';
  const any = rows.map(([before]) => before).join('|');
  return `[${sign}](?<=${any})(?:${rows.map(([before, rest]) => `(?<=${before})${rest}`).join('|')})`;
}
