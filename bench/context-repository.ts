/** A repository that is the same every time: files that name and import each other, and a history of small changes. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';

const COMMITS = 3000;
const BEGIN = 1_700_000_000;
const SYLLABLES = 'ra ven tor mi ka lo sen dar fi go ula ber tan rix po qua zel ni bo tre'.split(' ');
const TYPES = ['string', 'number', 'boolean', 'unknown', 'Date'];

/** With git's own importer: 30,000 files in some seconds. */
export async function makeRepository(dir: string, files: number): Promise<void> {
  mkdirSync(dir, { recursive: true });
  must(dir, 'init', '-q', '-b', 'main', '.');
  const git = spawn('git', ['-C', dir, 'fast-import', '--quiet'], { stdio: ['pipe', 'inherit', 'inherit'] });
  const closed = once(git, 'close');
  const chance = chanceOf(files);
  const paths = Array.from({ length: files }, (_, n) => pathOf(n));
  const write = async (text: string) => {
    if (!git.stdin.write(text)) await once(git.stdin, 'drain');
  };
  await write(head(0, 'Begin'));
  for (const [n, path] of paths.entries()) await write(file(path, sourceOf(n, paths, chance)));
  for (let n = 1; n <= COMMITS; n += 1) {
    const first = Math.floor(chance() * files);
    await write(head(n, `Correct ${wordsOf(first, 3).join(' ')} in ${paths[first]}`));
    // Mostly neighbours, as in real work.
    const touched = new Set([
      first,
      ...Array.from({ length: 1 + Math.floor(chance() * 4) }, (_, m) => (first + m * 3) % files),
    ]);
    for (const one of touched) await write(file(paths[one] as string, sourceOf(one, paths, chanceOf(one * 7919 + n))));
  }
  git.stdin.end('done\n');
  const [code] = await closed;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
  must(dir, 'reset', '-q', '--hard', 'main');
}

function must(dir: string, ...args: string[]): void {
  const { status, stderr } = spawnSync('git', ['-C', dir, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
}

const bytes = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
const file = (path: string, text: string): string => `M 100644 inline ${path}\n${bytes(text)}`;
const head = (n: number, message: string): string =>
  `commit refs/heads/main\ncommitter A <a@b> ${BEGIN + n * 3600} +0000\n${bytes(message)}`;

function pathOf(n: number): string {
  const [a, b] = [Math.floor(n / 200), Math.floor(n / 20)];
  const name = wordsOf(n, 2).join('-');
  const kind = n % 10 === 9 ? 'test.ts' : n % 25 === 7 ? 'md' : 'ts';
  return `packages/${wordsOf(a, 1)[0]}-${a}/src/${wordsOf(b, 1)[0]}-${b % 10}/${name}-${n}.${kind}`;
}

/** Sizes as in real projects: most are small, a few large; about 7 KB in the middle of all bytes. */
function sourceOf(n: number, paths: readonly string[], chance: () => number): string {
  const functions = Math.ceil(2 + chance() ** 3 * 40);
  const imports = Array.from({ length: 1 + Math.floor(chance() * 4) }, () => {
    const near = n - (n % 20) + Math.floor(chance() * 20);
    const path = paths[
      chance() < 0.8 ? Math.min(near, paths.length - 1) : Math.floor(chance() * paths.length)
    ] as string;
    return `import { ${camel(wordsOf(near, 2))} } from '${'../'.repeat(4)}${path}';`;
  });
  const body = Array.from({ length: functions }, (_, m) => {
    const words = wordsOf(n * 31 + m * 7 + Math.floor(chance() * 3), 4);
    return [
      `/** ${words.join(' ')} of the ${wordsOf(n + m, 2).join(' ')}, when it is ${words[0]}. */`,
      `export function ${camel(words)}(${words[1]}: ${TYPES[m % 5]}, ${words[2]}: ${TYPES[(m + 2) % 5]}) {`,
      `  const ${words[3]} = ${camel(wordsOf(n + m, 2))}(${words[1]}, ${Math.floor(chance() * 1000)});`,
      `  if (${words[3]} === null) throw new Error('no ${words.join(' ')}');`,
      `  return { ${words.join(', ')} };`,
      '}\n',
    ].join('\n');
  });
  return `${imports.join('\n')}\n\n${body.join('\n')}`;
}

/** As many words as a large project has; made once. */
const WORDS = Array.from({ length: 4000 }, (_, n) => {
  const chance = chanceOf(n);
  return Array.from({ length: 2 + (n % 2) }, () => SYLLABLES[Math.floor(chance() * SYLLABLES.length)]).join('');
});

function wordsOf(seed: number, count: number): string[] {
  const chance = chanceOf(seed);
  return Array.from({ length: count }, () => WORDS[Math.floor(chance() * WORDS.length)] as string);
}

const camel = (words: readonly string[]): string =>
  words.map((word, n) => (n === 0 ? word : `${word[0]?.toUpperCase()}${word.slice(1)}`)).join('');

/** Numbers in [0, 1) that are the same every time. */
function chanceOf(seed: number): () => number {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
