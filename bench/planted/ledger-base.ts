/** A ledger in plain JavaScript, tested by node:test. */
import type { Tree } from './planted.ts';

const OLD_CSV = `/** Comma separated values. */
export function readCsv(text) {
  const records = [];
  const table = text.split('\\n');
  const titles = table[0].split(',');
  for (let at = 1; at < table.length; at += 1) {
    const cells = table[at].split(',');
    const record = {};
    titles.forEach((title, n) => { record[title] = cells[n]; });
    records.push(record);
  }
  return records;
}

export function writeCsv(rows) {
  const names = Object.keys(rows[0] ?? {});
  return [names, ...rows.map((row) => names.map((name) => row[name]))].map((cells) => cells.join(',')).join('\\n');
}
`;
const CSV = `/** Comma separated values, with quoted fields. */
export function readCsv(text) {
  const lines = text.split(/\\r?\\n/).filter((line) => line !== '');
  const [head, ...rows] = lines.map((line, n) => fieldsOf(line, n + 1));
  if (head === undefined) return [];
  return rows.map((fields) => Object.fromEntries(head.map((name, i) => [name, fields[i] ?? ''])));
}

export function writeCsv(rows) {
  const names = Object.keys(rows[0] ?? {});
  return [names, ...rows.map((row) => names.map((name) => row[name]))].map((fields) => fields.map(quoted).join(',')).join('\\n');
}

function fieldsOf(line, number) {
  const fields = [''];
  let inQuotes = false;
  for (let i = 0; i < line.length; i += 1) {
    const letter = line[i];
    if (letter === '"' && inQuotes && line[i + 1] === '"') {
      fields[fields.length - 1] += '"';
      i += 1;
    } else if (letter === '"') inQuotes = !inQuotes;
    else if (letter === ',' && !inQuotes) fields.push('');
    else fields[fields.length - 1] += letter;
  }
  if (inQuotes) throw new SyntaxError('line ' + number + ': a quote is never closed');
  return fields;
}

function quoted(value) {
  const text = String(value ?? '');
  return /[",\\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}
`;

export const LEDGER: readonly Tree[] = [
  {
    'package.json': `{
  "name": "ledger",
  "version": "1.2.0",
  "type": "module",
  "main": "src/index.js",
  "scripts": {
    "test": "node --test --test-reporter=tap"
  },
  "dependencies": {}
}
`,
    '.gitignore': 'node_modules/\n*.log\n',
    'README.md': `# ledger

Keeps accounts in whole cents.

\`\`\`js
import { Ledger, parseAmount, formatAmount } from 'ledger';
const ledger = new Ledger().post({ account: 'cash', cents: parseAmount('12.50'), date: '2026-01-31' });
formatAmount(ledger.balance('cash'));
\`\`\`

\`splitAmount(cents, parts)\` splits without losing a cent.
`,
    'src/index.js': `export { readCsv, writeCsv } from './csv.js';
export { Ledger } from './ledger.js';
export { formatAmount, parseAmount, splitAmount } from './money.js';
export { loadLedger } from './load.js';
`,
    'src/money.js': `/** Amounts are whole cents. */
export function parseAmount(text) {
  const match = /^(-?)(\\d+)(?:\\.(\\d{1,2}))?$/.exec(text.trim());
  if (match === null) throw new RangeError('not an amount: ' + text);
  const [, sign, whole, part = ''] = match;
  const cents = Number(whole) * 100 + Number(part.padEnd(2, '0'));
  return sign === '-' ? -cents : cents;
}

export function formatAmount(cents) {
  const sign = cents < 0 ? '-' : '';
  const plain = Math.abs(cents);
  return sign + Math.floor(plain / 100) + '.' + String(plain % 100).padStart(2, '0');
}

/** Splits without losing a cent: the first parts are larger. */
export function splitAmount(cents, parts) {
  if (!Number.isInteger(parts) || parts < 1) throw new RangeError('parts must be a positive integer');
  const each = Math.trunc(cents / parts);
  const rest = cents - each * parts;
  return Array.from({ length: parts }, (_, i) => each + (i < Math.abs(rest) ? Math.sign(rest) : 0));
}
`,
    'src/ledger.js': `import { formatAmount } from './money.js';

const DATE = /^\\d{4}-\\d{2}-\\d{2}$/;

export class Ledger {
  #entries = [];

  post({ account, cents, date, note = '' }) {
    if (!Number.isInteger(cents)) throw new TypeError('cents must be an integer');
    if (!DATE.test(date)) throw new RangeError('not a date: ' + date);
    this.#entries.push({ account, cents, date, note });
    return this;
  }

  balance(account, until = '9999-12-31') {
    let sum = 0;
    for (const entry of this.#entries) if (entry.account === account && entry.date <= until) sum += entry.cents;
    return sum;
  }

  entries({ account, from = '', to = '9999-12-31' } = {}) {
    return this.#entries
      .filter((entry) => (account === undefined || entry.account === account) && entry.date >= from && entry.date <= to)
      .sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
  }

  statement(account) {
    let sum = 0;
    return this.entries({ account }).map(({ date, cents, note }) => {
      sum += cents;
      return [date, formatAmount(cents), formatAmount(sum), note].join(' ').trim();
    });
  }
}
`,
    'src/csv.js': OLD_CSV,
    'src/load.js': `import { readFile } from 'node:fs/promises';
import { readCsv } from './csv.js';
import { Ledger } from './ledger.js';
import { parseAmount } from './money.js';

/** Reads a file with the columns account, amount, date and note. */
export async function loadLedger(path) {
  const rows = readCsv(await readFile(path, 'utf8'));
  const ledger = new Ledger();
  for (const { account, amount, date, note } of rows) {
    ledger.post({ account, cents: parseAmount(amount), date, note });
  }
  return ledger;
}
`,
    'bin/statement.js': `#!/usr/bin/env node
import { loadLedger } from '../src/load.js';

const [path, account] = process.argv.slice(2);
if (path === undefined || account === undefined) {
  console.error('usage: statement FILE ACCOUNT');
  process.exit(2);
}
const ledger = await loadLedger(path);
for (const line of ledger.statement(account)) console.log(line);
`,
    'test/money.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAmount, parseAmount, splitAmount } from '../src/money.js';

test('reads amounts', () => {
  assert.equal(parseAmount('12.50'), 1250);
  assert.equal(parseAmount('7'), 700);
  assert.equal(parseAmount('-0.5'), -50);
});

test('refuses what is no amount', () => {
  assert.throws(() => parseAmount('12.505'), RangeError);
  assert.throws(() => parseAmount('abc'), RangeError);
});

test('writes amounts', () => {
  assert.equal(formatAmount(1250), '12.50');
  assert.equal(formatAmount(-5), '-0.05');
});

test('splits without losing a cent', () => {
  assert.deepEqual(splitAmount(100, 3), [34, 33, 33]);
  assert.deepEqual(splitAmount(9, 3), [3, 3, 3]);
});
`,
    'test/ledger.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ledger } from '../src/ledger.js';

const sample = () =>
  new Ledger()
    .post({ account: 'cash', cents: 500, date: '2026-01-02' })
    .post({ account: 'cash', cents: -200, date: '2026-01-05', note: 'tea' })
    .post({ account: 'bank', cents: 900, date: '2026-01-03' });

test('a balance is the sum of an account', () => {
  assert.equal(sample().balance('cash'), 300);
  assert.equal(sample().balance('none'), 0);
});

test('a balance until a day', () => {
  assert.equal(sample().balance('cash', '2026-01-04'), 500);
});

test('entries are in the order of their dates', () => {
  assert.deepEqual(sample().entries().map(({ date }) => date), ['2026-01-02', '2026-01-03', '2026-01-05']);
});

test('a statement has a running sum', () => {
  assert.deepEqual(sample().statement('cash'), ['2026-01-02 5.00 5.00', '2026-01-05 -2.00 3.00 tea']);
});

test('refuses entries that are wrong', () => {
  assert.throws(() => new Ledger().post({ account: 'a', cents: 0.5, date: '2026-01-01' }), TypeError);
  assert.throws(() => new Ledger().post({ account: 'a', cents: 1, date: 'today' }), RangeError);
});
`,
    'test/csv.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCsv, writeCsv } from '../src/csv.js';

test('reads rows by the names of the first', () => {
  assert.deepEqual(readCsv('a,b\\n1,2\\n3,4'), [{ a: '1', b: '2' }, { a: '3', b: '4' }]);
});

test('writes rows', () => {
  assert.equal(writeCsv([{ a: 1, b: 2 }]), 'a,b\\n1,2');
});
`,
  },
  { 'src/csv.js': CSV },
];

export { OLD_CSV };
