/** Git is missing, or said no; the message says what to do. */
export class GitError extends Error {
  override readonly name = 'GitError';
}
