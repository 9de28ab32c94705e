/** Everything about this machine that stays the same from run to run. */
import type { HostFacts } from '../../../mind/sandbox/profile.ts';
import type { Pipes } from '../../../os/process/pipes.ts';
import type { Users } from '../shared/users.ts';
import type { GroupPlaces } from './control-group.ts';

export type Site = {
  readonly bwrap: string;
  readonly host: HostFacts;
  readonly seccomp: Uint8Array | null;
  readonly groups: GroupPlaces;
  /** Ours, and as root open for everybody to pass through (0711). */
  readonly runDir: string;
  /** Where the users of sandboxes find what is shown to them: see `openDirFor`. */
  readonly openDir: string;
  readonly pipes: Pipes;
  readonly users: Users;
  /** Where text that every program may read is kept, to be opened for each. */
  readonly kept: (text: string | Uint8Array) => string;
  readonly root: boolean;
};
