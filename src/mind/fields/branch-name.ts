/** Whether a text is a valid branch name, by the rules of `git check-ref-format --branch`. */
export function isBranchName(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git refuses them, and so do we
  if (text === '' || text.length > 200 || /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\.$|^[-/]|\/$/.test(text))
    return false;
  return text.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'));
}
