/** Facts about this machine that stay the same from run to run. */
import type { HostFacts } from '../../../mind/sandbox/profile.ts';
import type { Pipes } from '../../../os/process/pipes.ts';
import type { Users } from '../shared/users.ts';
import type { GroupPlaces } from './control-group.ts';

export type Site = {
  readonly bwrap: string;
  readonly host: HostFacts;
  readonly seccomp: Uint8Array | null;
  readonly groups: GroupPlaces;
  /** Ours; as root every user may pass through it (0711). */
  readonly runDir: string;
  /** Where sandbox users find what is shown to them: see `openDirFor`. */
  readonly openDir: string;
  readonly pipes: Pipes;
  readonly users: Users;
  /** Stores a text that every program may read, and returns its path to open for each. */
  readonly kept: (text: string | Uint8Array) => string;
  readonly root: boolean;
};
