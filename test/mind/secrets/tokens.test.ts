/** Tokens that tell by their beginning whose they are: found without any name near them. */
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../../src/mind/secrets/scan.ts';
import { madeUp, TOKENS } from './made-up.ts';

test.each(TOKENS)('%s', (rule, token) => {
  for (const text of [token, `x = "${token}"`, `see ${token}, please`, `{"a":"${token}"}`, `\n${token}\n`]) {
    const from = text.indexOf(token);
    expect(findSecrets(text), text).toContainEqual({ from, to: from + token.length, rule });
  }
});

describe('a text that only begins like a token is left alone', () => {
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

  test('in the middle of a file in base64, behind a sign or a line of it', () => {
    const line = `${madeUp(30)}+${madeUp(45)}`;
    expect(findSecrets(`\n${line}\nAA+EAAC${madeUp(66)}\n${line}\n`)).toEqual([]);
    expect(findSecrets(`\n${line}\nEAAC${madeUp(72)}\n${line}\n`)).toEqual([]);
    expect(findSecrets(`base64,${line}/EAAA${madeUp(50)}${line}`)).toEqual([]);
    for (const text of [`token\nEAAC${madeUp(90)}`, `https://a.example.org/${madeUp(24)}/AbC9x/EAAC${madeUp(90)}`])
      expect(findSecrets(text)).toHaveLength(1);
    // A list of them, and one below the key of something else.
    expect(findSecrets(`EAAC${madeUp(66)}\nEAAC${madeUp(66)}\n`)).toHaveLength(2);
    expect(findSecrets(`${madeUp(20)}/${madeUp(19)}\nEAAC${madeUp(90)}\n`)).toHaveLength(1);
  });

  test('a line of a picture that begins with nothing but one letter', () => {
    const lines = [`${madeUp(20)}${'A'.repeat(56)}`, `${'A'.repeat(33)}${madeUp(43)}`, madeUp(20)];
    expect(findSecrets(lines.join('\n'))).toEqual([]);
    expect(findSecrets(`${'A'.repeat(22)}${madeUp(80)}`)).toHaveLength(1);
  });
});
