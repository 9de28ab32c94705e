import { expect, test } from 'vitest';
import { compareVersions, judgeVersion, versionIn } from '../../src/kernel/version.ts';

test('the version is found in what programs print', () => {
  expect(versionIn('2.1.197 (Claude Code)')).toBe('2.1.197');
  expect(versionIn('codex-cli 0.166.0\n')).toBe('0.166.0');
  expect(versionIn('v1.18.33')).toBe('1.18.33');
  expect(versionIn('GitHub Copilot CLI 1.0.102.\nRun it')).toBe('1.0.102');
  expect(versionIn('1.2.3-beta.4')).toBe('1.2.3');
  expect(versionIn('no version, 127.0.0.1 at most')).toBeNull();
  expect(versionIn('')).toBeNull();
});

test('versions are compared by number', () => {
  expect(compareVersions('1.10.0', '1.9.9')).toBe(1);
  expect(compareVersions('1.2.3', '1.2.3')).toBe(0);
  expect(compareVersions('0.9.9', '1.0.0')).toBe(-1);
});

test('a version is in the tested range, or before or after it', () => {
  const tested = { from: '2.1.0', below: '2.2.0' };
  expect(['2.0.99', '2.1.0', '2.1.500', '2.2.0'].map((one) => judgeVersion(one, tested))).toEqual([
    ...['older', 'tested', 'tested', 'newer'],
  ]);
});
