/** A small project such as a person has: documents, code, tests, a history, and a few mistakes to be found. */
import type { World } from '../support/cli.ts';

const README = `# Parcels

Says what it costs to send a parcel. A client sends weight and country, and gets a price in cents.

    node src/server.ts        # listens on 8080
    node --test               # all tests

- \`src/price.ts\`: the price of one parcel
- \`src/zones.ts\`: which zone a country is in
- \`src/server.ts\`: the HTTP side; knows nothing about prices
`;

const AGENTS = `# For those who work here

- Amounts are whole cents, never fractions.
- What a client got wrong is a RangeError; everything else is our fault.
- No dependencies: what Node brings is enough.
`;

const ADR = `# 1. Amounts are whole cents

Prices are added up and shown to people. Fractions of a cent were lost in rounding twice last year, so every amount is an
integer of cents, from the rate table to the response.
`;

const TYPES = `/** What a client asks about. */
export type Parcel = {
  /** In grams. */
  readonly weight: number;
  /** Two letters, as in ISO 3166. */
  readonly country: string;
};

export type Zone = 'home' | 'near' | 'far';

export type Quote = {
  readonly zone: Zone;
  /** In cents. */
  readonly price: number;
};
`;

const ZONES = `import type { Zone } from './types.ts';

const HOME = ['DE'];
const NEAR = ['AT', 'BE', 'DK', 'FR', 'LU', 'NL', 'PL'];

export function zoneOf(country: string): Zone {
  if (HOME.includes(country)) return 'home';
  if (NEAR.includes(country)) return 'near';
  throw new Error(\`no zone for \${country}\`);
}
`;

const PRICE = `import type { Parcel, Quote, Zone } from './types.ts';
import { zoneOf } from './zones.ts';

/** Cents for the first kilogram, and for each one after it. */
const RATES: Readonly<Record<Zone, readonly [number, number]>> = {
  home: [549, 120],
  near: [899, 240],
  far: [1599, 510],
};

export function quote({ weight, country }: Parcel): Quote {
  if (!(weight > 0)) throw new RangeError('weight: must be more than 0 grams');
  const zone = zoneOf(country);
  const [first, more] = RATES[zone];
  const kilograms = Math.ceil(weight / 1000);
  return { zone, price: first + (kilograms - 1) * more };
}
`;

const AUTH = `import { timingSafeEqual } from 'node:crypto';

/** Whether a request carries the key of this shop. */
export function isKnown(authorization: string | undefined, key: string): boolean {
  const [given, wanted] = [Buffer.from(authorization ?? ''), Buffer.from(\`Bearer \${key}\`)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
`;

const SERVER = `import { createServer } from 'node:http';
import { isKnown } from './auth.ts';
import { quote } from './price.ts';

export const server = createServer((request, response) => {
  const answer = (status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (!isKnown(request.headers.authorization, process.env['SHOP_KEY'] ?? '')) return answer(401, {});
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
  try {
    answer(200, quote({ weight: Number(searchParams.get('weight')), country: searchParams.get('country') ?? '' }));
  } catch (error) {
    if (error instanceof RangeError) answer(400, { error: error.message });
    else answer(500, { error: 'internal' });
  }
});

if (import.meta.main) server.listen(8080);
`;

const PRICE_TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quote } from '../src/price.ts';

test('the first kilogram, and those after it', () => {
  assert.deepEqual(quote({ weight: 900, country: 'DE' }), { zone: 'home', price: 549 });
  assert.deepEqual(quote({ weight: 2001, country: 'FR' }), { zone: 'near', price: 1379 });
});

test('no weight, no price', () => {
  assert.throws(() => quote({ weight: 0, country: 'DE' }), /weight: must be more than 0 grams/);
});
`;

const PACKAGE = `{
  "name": "parcels",
  "private": true,
  "type": "module",
  "scripts": { "test": "node --test" }
}
`;

/** Its history, the oldest commit first. */
const COMMITS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['Prices by zone', { 'README.md': README, 'package.json': PACKAGE, 'src/types.ts': TYPES, 'src/zones.ts': ZONES }],
  ['Quote a parcel', { 'src/price.ts': PRICE, 'test/price.test.ts': PRICE_TEST, 'docs/adr/0001-whole-cents.md': ADR }],
  ['Serve quotes over HTTP', { 'src/server.ts': SERVER, 'src/auth.ts': AUTH, 'AGENTS.md': AGENTS }],
];

export function makeParcels(world: World): void {
  for (const [message, files] of COMMITS) world.commit(files, message);
}

/** Parcels that are too heavy, as a task asks for it: what the implementer of the tests writes. */
export const HEAVY_PRICE = PRICE.replace(
  '  const zone = zoneOf',
  "  if (weight > 31_500) throw new RangeError('weight: must be at most 31500 grams');\n  const zone = zoneOf",
).replace('* more }', '* more + (weight > 20_000 ? 400 : 0) }');

export const HEAVY_TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quote } from '../src/price.ts';

test('above 20 kg it costs 4.00 more', () => {
  const price = (weight: number) => quote({ weight, country: 'DE' }).price;
  assert.equal(price(20_001) - price(20_000), 120 + 400);
});

test('above 31.5 kg it is refused', () => {
  assert.throws(() => quote({ weight: 31_501, country: 'DE' }), /weight: must be at most 31500 grams/);
});
`;

export const CONTRACT_TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quote } from '../src/price.ts';

test('a price is a whole number of cents', () => {
  for (const weight of [1, 999, 1000, 1001, 19_999]) assert.ok(Number.isInteger(quote({ weight, country: 'AT' }).price));
});

test('a heavier parcel never costs less', () => {
  assert.ok(quote({ weight: 5000, country: 'DE' }).price >= quote({ weight: 4999, country: 'DE' }).price);
});

test('no weight is refused as the fault of the client', () => {
  assert.throws(() => quote({ weight: Number.NaN, country: 'DE' }), RangeError);
});
`;

/** A label is served from a directory, by a name that the client chooses. */
export const LABEL_SERVER = SERVER.replace(
  "import { createServer } from 'node:http';\n",
  "import { readFileSync } from 'node:fs';\nimport { createServer } from 'node:http';\nimport { join } from 'node:path';\n",
).replace(
  '  const { searchParams } =',
  "  if (request.url?.startsWith('/labels/'))\n    return response.end(readFileSync(join('labels', decodeURIComponent(request.url.slice(8)))));\n  const { searchParams } =",
);
