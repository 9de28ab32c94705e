/**
 * Splits a command line into its simple commands. Not a shell, but good enough to see which words are programs. A
 * substitution is a command of its own; a word that holds a command line (`sh -c '…'`) stays one word.
 */

/**
 * In this order: two kinds of quotes, an escaped character, a comment, the end of a command, the end of a word, the
 * rest.
 */
const TOKEN =
  /"((?:\\[\s\S]|[^"\\])*)"|'([^']*)'|\\([\s\S])|((?<=^|\s)#[^\n]*)|(\$\(|[;&|\n()`])|([\s<]+)|([^"'\\;&|()`<\s$]+|[\s\S])/g;
/** Ways to write the top of the tree. */
const TOP = /\$\((?:pwd|git rev-parse --show-toplevel)\)|`(?:pwd|git rev-parse --show-toplevel)`|\$(?:PWD\b|\{PWD\})/g;

export function simpleCommands(text: string): string[][] {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | null = null;
  const endWord = (): void => {
    if (word !== null && word !== '') words.push(word);
    word = null;
  };
  for (const [whole, double, single, escaped, comment, end, space] of text.replace(TOP, '.').matchAll(TOKEN)) {
    if (comment !== undefined) continue;
    if (end !== undefined) {
      endWord();
      commands.push(words);
      words = [];
    } else if (space !== undefined || escaped === '\n') endWord();
    else word = (word ?? '') + (double?.replace(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? whole);
  }
  endWord();
  return [...commands, words].filter((one) => one.length > 0);
}

/** Words that themselves hold a command line. */
export function commandLinesIn(words: readonly string[], isShell: (word: string) => boolean): string[] {
  return words.filter((word, i) => {
    const before = words[i - 1] ?? '';
    if (before === 'eval' || (/^-\w*c$/.test(before) && words.slice(0, i).some(isShell))) return true;
    return /[\s;&|`]|\$\(/.test(word);
  });
}
