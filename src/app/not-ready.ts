/** The machine can not do it as it is; the message says what to do. A file of its own: every command loads it. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
  readonly code: 'not_ready' | 'no_worker';

  constructor(message: string, code: 'not_ready' | 'no_worker' = 'not_ready') {
    super(message);
    this.code = code;
  }
}

/** One CLI cannot be used; another one may be. */
export class CliRefused extends NotReady {
  override readonly name = 'NotReady';
  readonly cli: string;

  constructor(cli: string, message: string) {
    super(message);
    this.cli = cli;
  }
}
