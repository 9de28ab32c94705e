/** The machine is not ready; the message says what to do. It has a file of its own because every command loads it. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
  readonly code: 'not_ready' | 'no_worker';

  constructor(message: string, code: 'not_ready' | 'no_worker' = 'not_ready') {
    super(message);
    this.code = code;
  }
}

/** One CLI cannot be used; another one may work. */
export class CliRefused extends NotReady {
  override readonly name = 'NotReady';
  readonly cli: string;

  constructor(cli: string, message: string) {
    super(message);
    this.cli = cli;
  }
}
