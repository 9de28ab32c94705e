/** What the checks of a candidate are told about one path, and what they find. */

/** As in the workspace port: mode and blob id, as in `100644 3b18e51…`; null: the path is not there. */
export type Change = { readonly path: string; readonly before: string | null; readonly after: string | null };

export type ViolationKind =
  /** The environment is mounted there: gates would not see what the candidate has. */
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
  /** What is wrong and what to do instead, as the end of a sentence. */
  readonly reason: string;
};
