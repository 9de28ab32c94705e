/** Every relative link and anchor of the markdown files leads somewhere; every command and flag that they name exists. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { GLOBAL_FLAGS } from '../../src/faces/cli/args.ts';
import { COMMANDS } from '../../src/faces/cli/table.ts';

const ROOT = join(import.meta.dirname, '../..');
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(ROOT, path)) && !path.startsWith('test/fixtures/'));

const withoutCode = (markdown: string): string =>
  markdown.replace(/^ {0,3}(```+)[\s\S]*?^ {0,3}\1$/gm, '').replace(/`[^`\n]*`/g, '`x`');

/** As GitHub makes them: lower case, without punctuation, spaces as dashes; the second of a name ends in -1. */
function anchorsOf(markdown: string): Set<string> {
  const seen = new Map<string, number>();
  const text = markdown.replace(/^ {0,3}(```+)[\s\S]*?^ {0,3}\1$/gm, '');
  return new Set(
    [...text.matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = '']) => {
      const name = heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-');
      const count = seen.get(name) ?? 0;
      seen.set(name, count + 1);
      return count === 0 ? name : `${name}-${count}`;
    }),
  );
}

function brokenLinks(path: string, markdown: string): string[] {
  const text = withoutCode(markdown);
  const links = [
    ...[...text.matchAll(/\]\(<?([^()\s>]+)>?(?: "[^"]*")?\)/g)].map(([, to = '']) => to),
    ...[...text.matchAll(/(?:src|srcset|href)="([^"]+)"/g)].map(([, to = '']) => to),
  ];
  return links.flatMap((to) => {
    if (/^[a-z]+:/.test(to)) return [];
    const [file = '', anchor] = to.split('#');
    const target = file === '' ? path : relative(ROOT, join(ROOT, dirname(path), decodeURIComponent(file)));
    if (!existsSync(join(ROOT, target))) return [`${path}: ${to}: there is no ${target}`];
    if (anchor === undefined || !target.endsWith('.md')) return [];
    const there = anchorsOf(target === path ? markdown : readFileSync(join(ROOT, target), 'utf8'));
    return there.has(anchor) ? [] : [`${path}: ${to}: ${target} has no heading of that name`];
  });
}

/** `supervisor NAME … --flag` in code, checked against the table of commands. */
function unknownCommands(path: string, markdown: string): string[] {
  return [...markdown.matchAll(/`supervisor ([a-z][a-z-]*)([^`\n]*)`/g)].flatMap(([whole, name, rest = '']) => {
    const spec = COMMANDS.find((one) => one.name === name);
    if (spec === undefined) return [`${path}: ${whole}: there is no such command`];
    const flags = [...rest.matchAll(/(?:^|\s)--([a-z-]+)/g)].map(([, flag = '']) => flag);
    return flags
      .filter((flag) => !(flag in spec.flags) && !(flag in GLOBAL_FLAGS))
      .map((flag) => `${path}: ${whole}: it has no flag --${flag}`);
  });
}

test('every link of the pages leads somewhere', () => {
  const broken = files.flatMap((path) => brokenLinks(path, readFileSync(join(ROOT, path), 'utf8')));
  expect(broken).toEqual([]);
  expect(files.length).toBeGreaterThan(40);
});

test('no page for users names a test file', () => {
  const pages = files.filter((path) => path === 'README.md' || /^docs\/(guide|guarantees|reference)/.test(path));
  const naming = pages
    .filter((path) => !/(messages|event-changelog)\.md$/.test(path))
    .flatMap((path) => {
      const found = readFileSync(join(ROOT, path), 'utf8').match(/\btest\/[\w/-]+\.(?:test\.|long\.)?ts\b/g) ?? [];
      return found.map((name) => `${path}: ${name}`);
    });
  expect(naming).toEqual([]);
});

test('every command and flag that a page for users names exists', () => {
  const pages = files.filter((path) => path === 'README.md' || /^docs\/(guide|reference)\//.test(path));
  const unknown = pages.flatMap((path) => unknownCommands(path, readFileSync(join(ROOT, path), 'utf8')));
  expect(unknown).toEqual([]);
});

test('a wrong link, anchor, command or flag is found', () => {
  expect(brokenLinks('README.md', '# Here\n[a](#here) [b](LICENSE) [c](https://example.com)')).toEqual([]);
  expect(brokenLinks('README.md', '[a](#gone) [b](gone.md)\n<img src="gone.svg">')).toHaveLength(3);
  expect(unknownCommands('x', '`supervisor run "x" --detach --json`')).toEqual([]);
  expect(unknownCommands('x', '`supervisor walk` and `supervisor run --gone`')).toHaveLength(2);
});
