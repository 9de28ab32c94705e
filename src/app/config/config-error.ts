/** A file is not as it should be; the message has its place and what to do. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
