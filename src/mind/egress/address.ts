/** Classifies IP addresses. An allowed name may still lead to the host itself or into its network. */

type AddressKind =
  | 'public'
  /** An address of the host or its own networks: allowed only if the operator says so. */
  | 'private'
  /** Metadata services of clouds, and reserved ranges: never allowed. */
  | 'never';

/** Text that does not parse as an address is never allowed. */
export function addressKind(text: string): AddressKind {
  const bytes = parseV4(text) ?? parseV6(text);
  if (bytes === null) return 'never';
  return bytes.length === 4 ? kindOfV4(bytes) : kindOfV6(bytes);
}

/** Whether a connection to these addresses is allowed; all are checked, since any may be used. */
export function addressProblem(addresses: readonly string[], allowPrivate: boolean): string | null {
  if (addresses.length === 0) return 'the name has no address';
  for (const address of addresses) {
    const kind = addressKind(address);
    if (kind === 'never') return `it leads to ${shown(address)}, which is never allowed`;
    if (kind === 'private' && !allowPrivate) return `it leads to ${shown(address)}, a private address`;
  }
  return null;
}

const shown = (address: string): string => (/^[0-9a-f.:]{2,45}$/i.test(address) ? address : 'no address');

type AddressRule = { readonly prefix: readonly number[]; readonly bits: number; readonly kind: AddressKind };

/** The first match counts. */
const V4: readonly AddressRule[] = [
  rule('169.254.0.0', 16, 'never'),
  // Metadata services that are not link-local: Alibaba, Oracle, Azure.
  rule('100.100.100.200', 32, 'never'),
  rule('192.0.0.192', 32, 'never'),
  rule('168.63.129.16', 32, 'never'),
  rule('0.0.0.0', 8, 'never'),
  rule('224.0.0.0', 3, 'never'),
  rule('10.0.0.0', 8, 'private'),
  rule('100.64.0.0', 10, 'private'),
  rule('127.0.0.0', 8, 'private'),
  rule('172.16.0.0', 12, 'private'),
  rule('192.0.0.0', 24, 'private'),
  rule('192.0.2.0', 24, 'private'),
  rule('192.88.99.0', 24, 'private'),
  rule('192.168.0.0', 16, 'private'),
  rule('198.18.0.0', 15, 'private'),
  rule('198.51.100.0', 24, 'private'),
  rule('203.0.113.0', 24, 'private'),
];

const V6: readonly AddressRule[] = [
  // Metadata services among the unique local addresses: Amazon, Google, Oracle.
  rule('fd00:ec2::', 32, 'never'),
  rule('fd20:ce::', 32, 'never'),
  rule('fd00:c1::', 32, 'never'),
  rule('::1', 128, 'private'),
  rule('fc00::', 7, 'private'),
  rule('fec0::', 10, 'private'),
  rule('64:ff9b:1::', 48, 'private'),
  // Tunnels, documentation, benchmarks, identifiers that are no addresses.
  rule('2001::', 23, 'never'),
  rule('2001:db8::', 32, 'private'),
  rule('3fff::', 20, 'private'),
  rule('2000::', 3, 'public'),
];

/** The embedded IPv4 address decides for these: mapped, compatible, translated, 6to4. */
const EMBEDDED: readonly (Omit<AddressRule, 'kind'> & { readonly at: number })[] = [
  { ...rule('::ffff:0:0', 96, 'never'), at: 12 },
  { ...rule('::ffff:0:0:0', 96, 'never'), at: 12 },
  { ...rule('64:ff9b::', 96, 'never'), at: 12 },
  { ...rule('2002::', 16, 'never'), at: 2 },
];

const kindOfV4 = (bytes: readonly number[]): AddressKind => V4.find((one) => fits(bytes, one))?.kind ?? 'public';

function kindOfV6(bytes: readonly number[]): AddressKind {
  const inner = EMBEDDED.find((one) => fits(bytes, one));
  if (inner !== undefined) return kindOfV4(bytes.slice(inner.at, inner.at + 4));
  return V6.find((one) => fits(bytes, one))?.kind ?? 'never';
}

function fits(bytes: readonly number[], { prefix, bits }: Pick<AddressRule, 'prefix' | 'bits'>): boolean {
  return prefix.every((byte, index) => {
    const mask = (0xff00 >> Math.max(0, Math.min(8, bits - index * 8))) & 0xff;
    return ((byte ^ (bytes[index] ?? 0)) & mask) === 0;
  });
}

function rule(address: string, bits: number, kind: AddressKind): AddressRule {
  return { prefix: parseV4(address) ?? parseV6(address) ?? [], bits, kind };
}

/** Four plain decimal numbers, as resolvers give them. */
function parseV4(text: string): number[] | null {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1) ?? [];
  const bytes = parts.map(Number);
  return bytes.length === 4 && bytes.every((byte, index) => byte <= 255 && `${byte}` === parts[index]) ? bytes : null;
}

function parseV6(text: string): number[] | null {
  // A zone names the link; such addresses are refused anyway.
  const whole = text.split('%')[0] ?? '';
  const [, head = '', dotted] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(whole) ?? [];
  const inner = dotted === undefined ? null : parseV4(dotted);
  if (dotted !== undefined && inner === null) return null;
  const plain = inner === null ? whole : `${head}${pair(inner, 0)}:${pair(inner, 2)}`;
  const halves = plain.split('::');
  if (halves.length > 2) return null;
  const [left = [], right = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - left.length - right.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  const groups = [...left, ...Array.from({ length: missing }, () => '0'), ...right];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null;
  return groups.flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

const pair = (bytes: readonly number[], at: number): string =>
  ((((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)) >>> 0).toString(16);
