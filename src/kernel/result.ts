/** A refusal, as a value that the caller has to look at; failures of the machine are thrown. */
export type Rejection = {
  readonly type: 'rejected';
  /** A stable name for programs, such as `unknown_task`. */
  readonly code: string;
  /** A sentence for the person who has to act. */
  readonly message: string;
};

export function rejected(code: string, message: string): Rejection {
  return { type: 'rejected', code, message };
}
