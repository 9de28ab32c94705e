/** The interface of a resolver for one language. */
export type ResolveImport = (from: string, specifier: string) => readonly string[];
/** A set of paths for look-ups. */
export type PathSet = { has(path: string): boolean; [Symbol.iterator](): Iterator<string> };
export type MakeResolve = (files: PathSet, configs: ReadonlyMap<string, string>) => ResolveImport;

/** The file that a path without a known ending means, or null. */
export type FileAt = (path: string | null, typescript: boolean) => string | null;
