/**
 * Writes docs/images/demo.svg: the first terminal of the README as a picture. The guides' test compares that terminal with what
 * the command prints, so the picture shows a real run. `--check` only says whether the picture is up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const PICTURE = 'docs/images/demo.svg';
const LINE = 20;
const TOP = 56;
const WIDTH = 880;

/** Classes of lines, by their text; the first match counts. */
const LOOKS: readonly (readonly [RegExp, string])[] = [
  [/^\$ /, 'command'],
  [/failed|REJECT|^-/, 'bad'],
  [/passed|APPROVE|^accepted|^✓|^\+/, 'good'],
  [/^…$/, 'dim'],
];

/** The picture of the first console block in a page. Exported for its test. */
export function stillOf(page: string): string {
  const block = /```console\n([\s\S]*?)```/.exec(page)?.[1];
  if (block === undefined) throw new Error('the page has no console block');
  const lines = block.trimEnd().split('\n');
  const height = TOP + lines.length * LINE + 8;
  const rows = lines.map((line, n) => {
    const look = LOOKS.find(([pattern]) => pattern.test(line))?.[1] ?? 'plain';
    return `<text class="${look}" x="20" y="${TOP + n * LINE}" xml:space="preserve">${escaped(line)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title">
<title id="title">A terminal: supervisor demo ends with an accepted commit on its second attempt</title>
<style>
  .window { fill: #f6f8fa; stroke: #d1d9e0; }
  text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328; }
  .command { font-weight: 600; }
  .dim { fill: #59636e; }
  .bad { fill: #cf222e; }
  .good { fill: #1a7f37; }
  @media (prefers-color-scheme: dark) {
    .window { fill: #151b23; stroke: #3d444d; }
    text { fill: #f0f6fc; }
    .dim { fill: #9198a1; }
    .bad { fill: #f85149; }
    .good { fill: #3fb950; }
  }
</style>
<rect class="window" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
<circle cx="20" cy="18" r="6" fill="#ff5f57"/><circle cx="40" cy="18" r="6" fill="#febc2e"/><circle cx="60" cy="18" r="6" fill="#28c840"/>
${rows.join('\n')}
</svg>
`;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

if (resolve(process.argv[1] ?? '') === import.meta.filename) {
  const picture = stillOf(readFileSync(join(ROOT, 'README.md'), 'utf8'));
  const at = join(ROOT, PICTURE);
  if (!process.argv.includes('--check')) writeFileSync(at, picture);
  else if (readFileSync(at, 'utf8') !== picture) {
    console.error(`${PICTURE} is out of date: run \`node tools/still.ts\``);
    process.exitCode = 1;
  }
}
