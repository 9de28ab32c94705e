/** What a CLI reads of the project unasked, and need not be sent. */

import type { Tool } from './adapter.ts';
import { adapterOf, type CliSettings } from './cli-config.ts';

export type OwnReading = {
  /** Whether it can open files in this role. */
  readonly files: boolean;
  /** Files at the top of the tree that it reads unasked. */
  readonly instructions: readonly string[];
};

export function ownReading(
  cli: CliSettings | null,
  { allowed_tools: tools }: { readonly allowed_tools: readonly Tool[] | null },
): OwnReading {
  const adapter = cli?.type === 'adapter' ? adapterOf(cli.adapter) : undefined;
  const mayOpen = tools === null || tools.includes('read') || tools.includes('shell');
  return { files: mayOpen && adapter?.can.files !== false, instructions: adapter?.instructions ?? [] };
}
