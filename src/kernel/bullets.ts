/** One bullet for each item; long ones are indented below their first line. */
export const bullets = (items: readonly string[]): string =>
  items.map((item) => `- ${item.replaceAll('\n', '\n  ')}`).join('\n');
