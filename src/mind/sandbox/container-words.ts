/**
 * What the first process of a container receives through its pipe: one line for each word, exact whatever it contains.
 */
type StartWords = {
  readonly cwd: string;
  readonly home: string;
  /** Temporary places, to be made writable. */
  readonly temporary: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly argv: readonly string[];
};

export function startWords({ cwd, home, temporary, env, argv }: StartWords): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const words = [...variables, ...argv];
  const head = [`${temporary.length}`, ...temporary, cwd, home, `${variables.length}`, `${words.length}`];
  return [...head, ...words].map((word) => `${line(word)}\n`).join('');
}

/** Undone by the `%b` of printf. */
const line = (word: string): string => word.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
