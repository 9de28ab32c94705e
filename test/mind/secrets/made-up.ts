/** Secrets for tests, made when they run: no scanner finds one in these files, and nothing can be done with them. */
import { createHash } from 'node:crypto';

const SETS = {
  hex: '0123456789abcdef',
  lower: 'abcdefghijklmnopqrstuvwxyz0123456789',
  upper: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  all: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
} as const;

/** Always the same for the same seed. */
export function madeUp(length: number, set: keyof typeof SETS = 'all', seed = 'secret'): string {
  let text = '';
  for (let round = 0; text.length < length; round++)
    for (const byte of createHash('sha512').update(`${seed} ${set} ${round}`).digest())
      text += SETS[set][byte % SETS[set].length];
  return text.slice(0, length);
}

export const uuid = (seed = 'uuid'): string =>
  madeUp(32, 'hex', seed).replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');

export function keyBlock(kind: string): string {
  const lines = Array.from({ length: 6 }, (_, n) => madeUp(64, 'all', `line ${n}`));
  return ['-----BEGIN', `${kind}-----\n`].join(' ') + lines.join('\n') + ['\n-----END', `${kind}-----`].join(' ');
}

export function webToken(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: '1234567890', name: 'me' })}.${madeUp(43)}`;
}

/** One or more for each way in which tokens of makers are known. */
export const TOKENS: readonly (readonly [rule: string, token: string])[] = [
  ['github', `ghp_${madeUp(36)}`],
  ['github', `github_pat_${madeUp(22)}_${madeUp(59)}`],
  ['gitlab', `glpat-${madeUp(20)}`],
  ['aws', `AKIA${madeUp(16, 'upper')}`],
  ['google', `AIza${madeUp(35)}`],
  ['google', `GOCSPX-${madeUp(28)}`],
  ['stripe', `sk_live_${madeUp(24)}`],
  ['slack', `xoxb-${'123456789012'}-${'1234567890123'}-${madeUp(24)}`],
  ['sendgrid', `SG.${madeUp(22)}.${madeUp(43, 'all', 'two')}`],
  ['openai', `sk-proj-${madeUp(60)}`],
  ['anthropic', `sk-ant-api03-${madeUp(93)}AA`],
  ['huggingface', `hf_${madeUp(34)}`],
  ['npm', `npm_${madeUp(36)}`],
  ['pypi', `pypi-${madeUp(100)}`],
  ['digitalocean', `dop_v1_${madeUp(64, 'hex')}`],
  ['databricks', `dapi${madeUp(32, 'hex')}`],
  ['vault', `hvs.${madeUp(90)}`],
  ['shopify', `shpat_${madeUp(32, 'hex')}`],
  ['linear', `lin_api_${madeUp(40)}`],
  ['doppler', `dp.pt.${madeUp(43)}`],
  ['plaid', `access-sandbox-${uuid()}`],
  ['dynatrace', `dt0c01.${madeUp(24, 'upper')}.${madeUp(64, 'upper')}`],
  ['age', `AGE-SECRET-KEY-1${madeUp(58, 'upper')}`],
  ['azure', `${madeUp(3)}8Q~${madeUp(34)}`],
  ['telegram', `${'123456789'}:AA${madeUp(33)}`],
  ['facebook', `${'1234567890123456'}|${madeUp(27)}`],
  ['discord', `M${madeUp(25)}.${madeUp(6, 'all', 'b')}.${madeUp(38, 'all', 'c')}`],
  ['terraform', `${madeUp(14)}.atlasv1.${madeUp(67)}`],
  ['mailchimp', `${madeUp(32, 'hex')}-us14`],
];
