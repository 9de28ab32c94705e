/** What a CLI reads of the project by itself: what it reads need not be sent. */
import { adapterOf, type CliSettings } from '../config/cli-config.ts';
import type { Role } from '../roles/role.ts';

export type OwnReading = {
  /** Whether it can open files in this role. */
  readonly files: boolean;
  /** Files at the top of the tree that it reads without being told. */
  readonly instructions: readonly string[];
};

export function ownReading(cli: CliSettings | null, { allowed_tools: tools }: Pick<Role, 'allowed_tools'>): OwnReading {
  const adapter = cli?.type === 'adapter' ? adapterOf(cli.adapter) : undefined;
  const mayOpen = tools === null || tools.includes('read') || tools.includes('shell');
  return { files: mayOpen && adapter?.can.files !== false, instructions: adapter?.instructions ?? [] };
}
