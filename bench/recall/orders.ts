/** The orders that are compared: ours, and what simpler ways would give. */
import type { Column } from '../../src/mind/ranking/columns.ts';
import { columnsOf, rankFiles } from '../../src/mind/ranking/rank.ts';
import type { Case } from './cases.ts';
import { CAP } from './measure.ts';

export type Orders = { readonly whole: readonly string[]; readonly capped: readonly string[] };
export const WAYS = [
  'ranked',
  'directory glob',
  'imports only',
  'words only',
  'co-change only',
  'best possible',
] as const;
export type Way = (typeof WAYS)[number];

export function ordersOf(one: Case): Record<Way, Orders> {
  const columns = columnsOf(one.input);
  const { paths: files } = one.input.places;
  const by = (column: Column): Orders => {
    const spoken = [...files.keys()].filter((at) => column.at(at) > 0);
    const order = spoken.sort((a, b) => column.at(b) - column.at(a) || a - b);
    const paths = order.map((at) => files[at]!);
    return { whole: paths, capped: paths };
  };
  const ours = (cap: number | null) => rankFiles({ ...one.input, cap }).map(({ path }) => path);
  return {
    ranked: { whole: ours(null), capped: ours(CAP) },
    'directory glob': glob(one),
    'imports only': by(columns.imports),
    'words only': by(columns.words),
    'co-change only': by(columns.together),
    'best possible': best(one),
  };
}

/** `dir/**` of the target in the order of paths, then that of the folder above. */
function glob(one: Case): Orders {
  const home = one.commit.target.split('/').slice(0, -1);
  const under = (folder: string) => one.input.places.paths.filter((path) => path.startsWith(folder));
  const here = under(home.map((name) => `${name}/`).join(''));
  const above = under(
    home
      .slice(0, -1)
      .map((name) => `${name}/`)
      .join(''),
  );
  const paths = [...new Set([...here, ...above])];
  return { whole: paths, capped: paths };
}

/** What was touched, the short ones first: no order can have more. */
function best(one: Case): Orders {
  const paths = [...one.commit.others].sort((a, b) => one.tokens(a) - one.tokens(b));
  return { whole: paths, capped: paths };
}
