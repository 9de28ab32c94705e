/** The input of candidate checks for one path, and their findings. */

/** As in the workspace port: mode and blob id, as in `100644 3b18e51…`; null if the path does not exist. */
export type PathChange = { readonly path: string; readonly before: string | null; readonly after: string | null };

export type ViolationKind =
  /** The environment is mounted there: gates would not see the candidate's file. */
  | 'environment'
  | 'agent_config'
  | 'hooks'
  | 'editor'
  | 'registry'
  | 'ci'
  | 'gate_config'
  /** An existing test. */
  | 'tests'
  /** Protected by config, such as a locked interface. */
  | 'locked'
  /** Not among the files that the task named. */
  | 'scope';

export type Violation = {
  readonly path: string;
  readonly kind: ViolationKind;
  /** The problem and what to do instead, as the end of a sentence. */
  readonly reason: string;
};
