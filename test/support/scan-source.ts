/** A small reader of TypeScript: which modules a file names, and its code without comments and strings. */
export type Import = { readonly from: string; readonly typeOnly: boolean };

/** Every module that a file names: import, export from, import(), require() and getBuiltinModule(). */
export function importsOf(text: string): Import[] {
  const code = withoutComments(text);
  const written = code.matchAll(
    /\b(?:import|export)\b(?<type>\s+type\b)?(?:[^'"`();]*?\bfrom\s*|\s+)(?<quote>['"])(?<from>[^'"]+)\k<quote>/g,
  );
  const called = code.matchAll(
    /\b(?:import|require|getBuiltinModule)\s*\(\s*(?<quote>['"`])(?<from>[^'"`]+)\k<quote>/g,
  );
  return [...written, ...called].map(({ groups }) => ({
    from: groups?.['from'] ?? '',
    typeOnly: groups?.['type'] !== undefined,
  }));
}

/** Comments, strings, templates and regular expressions, so that one is not taken for another. */
const TOKEN =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<text>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")|`(?:\\.|[^`\\])*`|(?<=[=(,:;[!&|?{}]\s*)(?<pattern>\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*)/g;

export function withoutComments(text: string): string {
  return text.replace(TOKEN, (token, comment: string | undefined) => (comment === undefined ? token : ' '));
}

/** Templates stay: there is code in them. */
export function withoutStrings(text: string): string {
  return text.replace(TOKEN, (token, comment?: string, string?: string, pattern?: string) =>
    (comment ?? string ?? pattern) === undefined ? token : ' ',
  );
}
