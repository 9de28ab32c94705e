/** Writes schemas/*.schema.json, which editors read, from the declarations that parse the files. `--check`: only says whether they are up to date. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { toJsonSchema } from '@valibot/to-json-schema';
import { limitsFile } from '../src/mind/config/limits-file.ts';
import { config } from '../src/mind/config/project-config.ts';
import { strategy } from '../src/mind/context/strategy.ts';
import type { FileSchema } from '../src/mind/fields/parse-file.ts';
import { roleFile } from '../src/mind/roles/schema.ts';
import { workflowFile } from '../src/mind/workflows/file.ts';

type Json = Record<string, unknown>;

/** Those that let more keys in by their beginning say it here: valibot has no word for it. */
const KINDS: Readonly<Record<string, { readonly schema: FileSchema; readonly title: string; readonly more?: Json }>> = {
  role: {
    schema: roleFile,
    title: 'A role: .supervisor/roles/NAME.yaml',
    more: { additionalProperties: false, patternProperties: { '^x-': {} } },
  },
  config: { schema: config, title: 'Configuration of Supervisor: .supervisor/config.yaml' },
  limits: { schema: limitsFile, title: 'Limits of Supervisor: .supervisor/limits.yaml' },
  workflow: { schema: workflowFile, title: 'A workflow: .supervisor/workflows/NAME.yaml' },
  strategy: { schema: strategy, title: 'A context strategy: .supervisor/strategies/NAME.yaml' },
};

/** The text of every schema file, by file name. */
export function schemaFiles(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(KINDS).map(([kind, { schema, title, more }]) => {
      // What JSON Schema cannot say, such as what a pattern may hold, is left to `supervisor`.
      const { $schema, ...rest } = toJsonSchema(schema as Parameters<typeof toJsonSchema>[0], {
        errorMode: 'ignore',
        typeMode: 'input',
      });
      return [`${kind}.schema.json`, formatted({ $schema, title, ...rest, ...more })];
    }),
  );
}

/** As the formatter of this project wants it: lists of plain values on one line, where they fit. */
function formatted(schema: Json): string {
  const plain = String.raw`(?:"(?:[^"\\\n]|\\.)*"|-?[\d.]+|true|false|null)`;
  const lists = new RegExp(String.raw`^(.*)\[\n\s+(${plain}(?:,\n\s+${plain})*)\n\s+\](,?)$`, 'gm');
  const text = JSON.stringify(schema, null, 2).replaceAll(lists, (whole, before, items, comma) => {
    const line = `${before}[${items.replaceAll(/,\n\s+/g, ', ')}]${comma}`;
    return line.length <= 120 ? line : whole;
  });
  return `${text}\n`;
}

if (import.meta.main) {
  const folder = resolve(import.meta.dirname, '../schemas');
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of schemaFiles()) {
    const path = join(folder, file);
    if (!process.argv.includes('--check')) writeFileSync(path, text);
    else if (readFileSync(path, 'utf8') !== text) {
      process.stderr.write(`schemas/${file} is not up to date: run \`node tools/schemas.ts\`\n`);
      process.exitCode = 1;
    }
  }
}
