/** Tokens that tell by their beginning whose they are: found without any name near them. */
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../../src/mind/secrets/scan.ts';
import { madeUp, uuid } from './made-up.ts';

const TOKENS: readonly (readonly [rule: string, token: string])[] = [
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

test.each(TOKENS)('%s', (rule, token) => {
  for (const text of [token, `x = "${token}"`, `see ${token}, please`, `{"a":"${token}"}`, `\n${token}\n`]) {
    const from = text.indexOf(token);
    expect(findSecrets(text), text).toContainEqual({ from, to: from + token.length, rule });
  }
});

describe('what only begins like one is left alone', () => {
  test.each([
    `ghp_${'x'.repeat(36)}`,
    'ghp_short',
    `AKIA${'EXAMPLE'.repeat(2)}`,
    `AKIA${madeUp(30, 'upper')}`,
    'sk-proj-my-nice-little-project-with-a-long-name-of-words',
    'npm_config_registry_and_other_long_settings_x',
    'hf_hub_download_with_progress_bar_and_more',
    `dapi${'0'.repeat(32)}`,
    'sha256-ordinary',
    'sk_live_',
    'test_separatedatabaseandstate2',
    'live_reload_of_the_page_in_the_browser_window',
  ])('%s', (text) => {
    expect(findSecrets(text)).toEqual([]);
    expect(findSecrets(`a ${text} b`)).toEqual([]);
  });

  test('in the middle of a longer word, as in a picture in base64', () => {
    expect(findSecrets(`data:image/png;base64,${'iVBORw0KGgo'}${madeUp(40)}AKIA${madeUp(60)}`)).toEqual([]);
  });
});
