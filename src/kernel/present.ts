type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the fields that nobody set: absent, not undefined. */
export function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}
