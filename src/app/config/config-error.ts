/** A file has a mistake; the message names the place and what to do. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
