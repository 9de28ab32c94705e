/** Changes that a gate with built-in checks has to refuse: a file that does not parse, and a secret. */
import type { GateConfig } from '../gates/gate-config.ts';
import { gateKind } from '../gates/kinds.ts';
import type { Dice } from './plant.ts';

type BadChange = { readonly what: string; readonly path: string; readonly text: string };

const UNPARSABLE: readonly (readonly [what: string, ending: string, text: string])[] = [
  ['JSON', 'json', '{"open": [1, 2\n'],
  ['YAML', 'yaml', 'open: [1, 2\nother: "no end\n'],
  ['shell', 'sh', 'if true; then\n  echo "no end\n'],
  ['Python', 'py', 'def open_call(:\n    return (\n'],
];

/** A missing program matters only for file types that the project has; `paths` are those of the commit. */
export function badChanges(gate: GateConfig, paths: readonly string[], dice: Dice): readonly BadChange[] {
  const kind = gateKind(gate);
  const name = `planted_${letters(8, dice).toLowerCase()}`;
  if (kind === 'security')
    return [
      { what: 'a secret', path: `${name}.txt`, text: `aws_access_key_id = ${`AKI${'A'}`}${letters(16, dice)}\n` },
    ];
  if (kind !== 'syntax' || gate.command !== undefined || gate.checks !== undefined) return [];
  return UNPARSABLE.filter(([, ending]) => /^(?:json|yaml)$/.test(ending) || hasEnding(paths, ending)).map(
    ([what, ending, text]) => ({ what: `${what} that cannot be parsed`, path: `${name}.${ending}`, text }),
  );
}

const hasEnding = (paths: readonly string[], ending: string): boolean =>
  paths.some((path) => path.endsWith(`.${ending}`));

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const letters = (count: number, dice: Dice): string =>
  Array.from({ length: count }, () => LETTERS[Math.floor(dice() * LETTERS.length)]).join('');
