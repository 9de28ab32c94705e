/** What a resolver of one language is given, and what it is. */
export type Resolve = (from: string, specifier: string) => readonly string[];
/** Paths, of which somebody asks whether one is there. */
export type PathSet = { has(path: string): boolean; [Symbol.iterator](): Iterator<string> };
export type MakeResolve = (files: PathSet, configs: ReadonlyMap<string, string>) => Resolve;

/** The file that a path without certain ending means, or null. */
export type FileAt = (path: string | null, typescript: boolean) => string | null;
