/** Closes a switch over a union: a new case becomes a compile error, and bad data at run time a loud one. */
export function assertNever(value: never, what = 'value'): never {
  throw new Error(`unexpected ${what}: ${JSON.stringify(value)}`);
}
