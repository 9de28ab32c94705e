/** Git is missing, or refused; the message says what to do. */
export class GitError extends Error {
  override readonly name = 'GitError';
}
