/** Writes the table of limits in docs/reference/config.md from the declarations of limits. `--check` only says whether it is up to date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIMIT_KEYS, type LimitKey, limitText } from '../src/mind/config/limit-keys.ts';
import { DEFAULT_LIMITS } from '../src/mind/domain/limits.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs/reference/config.md');

/** The page of the configuration, with its table of limits as the declarations are now. */
export function configPage(page: string): string {
  const rows = LIMIT_KEYS.map(
    (limit) =>
      `| \`${limit.key}\` | ${typeOf(limit)} | ${limitText(limit.unit, limit.of(DEFAULT_LIMITS))} | ${cell(limit.means)} | ${PROJECTS[limit.rule]} |`,
  );
  const table = ['| key | type | default | bounds | a project may |', '|---|---|---|---|---|', ...rows].join('\n');
  return page.replace(
    /(<!-- limits: [^\n]*-->\n)[\s\S]*?(<!-- end -->)/,
    (_, begin, end) => `${begin}\n${table}\n\n${end}`,
  );
}

const PROJECTS: Readonly<Record<LimitKey['rule'], string>> = {
  less: 'lower it',
  more: 'raise it',
  budget: 'lower it',
  tries: 'retry less',
  person: 'set it, if the person does not',
};

/** One value of a JSON schema, as far as the limits have such. */
type Schema = {
  readonly type?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
};

/** A limit's type in words, from schemas/limits.schema.json. */
function typeOf({ key, unit }: LimitKey): string {
  if (key === 'slots.per_cli') return 'map: CLI to whole number';
  if (unit === 'backoff') return '`default`, `aggressive`, `conservative`, or `{tries, first, factor, max}`';
  if (unit === 'seconds') return 'duration';
  const file: Schema = JSON.parse(readFileSync(join(ROOT, 'schemas/limits.schema.json'), 'utf8'));
  const found = key.split('.').reduce<Schema | undefined>((at, name) => at?.properties?.[name], file);
  const options = found?.anyOf ?? (found === undefined ? [] : [found]);
  return options
    .map(({ type, minimum, maximum }) => {
      if (type === 'null') return '`null` (none)';
      const name = type === 'integer' ? 'whole number' : (type ?? 'value');
      return maximum === undefined ? name : `${name}, ${minimum ?? 0} to ${maximum}`;
    })
    .join(', or ');
}

/** A bar would end the cell of a table. */
const cell = (text: string): string => text.replaceAll('|', '\\|');

if (import.meta.main) {
  const page = readFileSync(PAGE, 'utf8');
  if (!process.argv.includes('--check')) writeFileSync(PAGE, configPage(page));
  else if (page !== configPage(page)) {
    console.error('docs/reference/config.md is out of date: run `node tools/limits-table.ts`');
    process.exitCode = 1;
  }
}
