/** What is shown of a failed preparation, and when the registries are asked. */
import { expect, test } from 'vitest';
import { errorText, wantedNetwork } from '../../src/mind/environment/failure.ts';

test.each<[string, string, string]>([
  [
    'npm',
    'npm warn x\nnpm error code EUSAGE\nnpm error\nnpm error `npm ci` can only install\nnpm error\nnpm error Missing: a\nnpm error A complete log\n',
    'npm error code EUSAGE | npm error `npm ci` can only install | npm error Missing: a',
  ],
  ['an older npm', 'npm ERR! code E404\nnpm ERR! 404\nnpm ERR!\n', 'npm ERR! code E404 | npm ERR! 404'],
  [
    'pip',
    'Collecting a\nERROR: No matching distribution\nWARNING: x\n',
    'ERROR: No matching distribution | WARNING: x',
  ],
  [
    'go',
    'go: downloading a v1\ngo: a@v1: module lookup disabled by GOPROXY=off\n',
    'go: a@v1: module lookup disabled by GOPROXY=off',
  ],
  [
    'pnpm',
    'Lockfile is up to date\n ERR_PNPM_OUTDATED_LOCKFILE  Cannot install\n\na\nb\nc\n',
    'ERR_PNPM_OUTDATED_LOCKFILE  Cannot install | a | b',
  ],
  [
    'cargo',
    '    Updating index\nerror: failed to get `a`\n\nCaused by:\n  b\n',
    'error: failed to get `a` | Caused by: | b',
  ],
  ['a shell', '/bin/sh: 1: pnpm: not found\n', '/bin/sh: 1: pnpm: not found'],
  ['no error line', 'a\nb\nc\n0 errors\n', 'b | c | 0 errors'],
  ['nothing', '\n', ''],
])('%s: the first error and what follows', (_, output, text) => {
  expect(errorText(output)).toBe(text);
});

test.each([
  'npm error code ENOTCACHED',
  'ERROR: No matching distribution found for a',
  'go: a@v1.0.0: module lookup disabled by GOPROXY=off',
  'go: a@v1.0.0: reading file:///tmp/caches/go/download/a/@v/v1.0.0.mod: no such file or directory',
  'dial tcp: lookup proxy.test on 10.0.0.1:53: no such host',
  'error: failed to download from `https://index.test`; you may run without the --offline flag',
  ' ERR_PNPM_NO_OFFLINE_TARBALL  A package is missing from the store',
  'Temporary failure in name resolution',
])('this wanted the network: %s', (line) => {
  expect(wantedNetwork(`a\n${line}\nb\n`)).toBe(true);
});

test.each([
  'npm error code EUSAGE',
  'npm error [--prefer-offline]',
  'go: updates to go.mod needed',
  'cat: x: No such file or directory',
])('this did not: %s', (line) => {
  expect(wantedNetwork(line)).toBe(false);
});
