/** Closes a switch over a union: a new case becomes a compile error, and bad data throws at run time. */
export function assertNever(value: never, what = 'value'): never {
  throw new Error(`unexpected ${what}: ${JSON.stringify(value)}`);
}
