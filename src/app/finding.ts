/** One line of `doctor`: a thing that was looked at, its state, and how to repair it. */
export type Finding = {
  readonly name: string;
  /** Absent: not there, and nobody asked for it. */
  readonly state: 'ok' | 'degraded' | 'missing' | 'absent';
  readonly detail: string;
  readonly fix: string | null;
};
