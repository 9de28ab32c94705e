/**
 * In a checkout: the bridge as plain JavaScript. It starts before every CLI, and Node takes a tenth of a second to
 * strip types at each start, and some milliseconds to load modules. A package has it bundled and does not use this.
 */
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';

const CONSTANTS = 'src/mind/workers/bridge.ts';
const BRIDGE = 'src/inside/bridge.ts';

/** Makes it once per version of the sources, in `dir`, readable for every user; returns its path. */
export function plainBridge(root: string, dir: string): string {
  const [constants = '', bridge = ''] = [CONSTANTS, BRIDGE].map((path) => readFileSync(join(root, path), 'utf8'));
  const path = join(
    dir,
    `bridge-${createHash('sha256').update(constants).update(bridge).digest('hex').slice(0, 16)}.cjs`,
  );
  if (existsSync(path)) return path;
  // Inlines the only import of ours: one file starts sooner than two.
  const own = strip(bridge)
    .replace(/^import [^;]* from '\.\.\/mind\/workers\/bridge\.ts';$/m, '')
    .replaceAll(/^import (\{[^}]*\}) from ('node:\w+');$/gm, 'const $1 = require($2);');
  const text = `${strip(constants).replaceAll(/^export /gm, '')}\n${own}`;
  mkdirSync(dir, { recursive: true, mode: 0o711 });
  const whole = `${path}.${randomBytes(4).toString('hex')}`;
  writeFileSync(whole, text, { mode: 0o600 });
  chmodSync(whole, 0o444);
  renameSync(whole, path);
  return path;
}

/** Node warns that this may change; an operator cannot do anything about it. */
function strip(text: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
}
