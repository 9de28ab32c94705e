/** One line for each; what is longer goes on below its own beginning. */
export const bullets = (items: readonly string[]): string =>
  items.map((item) => `- ${item.replaceAll('\n', '\n  ')}`).join('\n');
