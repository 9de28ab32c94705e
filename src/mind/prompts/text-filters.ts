/** The filters of our templates that change text. */

/** The first lines, and the number of omitted ones. */
export function truncateLines(text: string, max: number): string {
  const lines = text.split('\n');
  return lines.length <= max ? text : `${lines.slice(0, max).join('\n')}\n\n[Truncated ${lines.length - max} lines]`;
}

/** A fenced block whose fences are longer than any inside it. */
export function formatDiff(diff: string): string {
  const longest = Math.max(2, ...[...diff.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}diff\n${diff}${diff.endsWith('\n') ? '' : '\n'}${fence}`;
}
