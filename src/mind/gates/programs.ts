/** Which programs a command line starts, as far as that can be read without a shell. */
import type { Command } from './kinds.ts';

/** Words of the shell that start nothing, and those that start what follows. */
const BUILTIN =
  /^(?:cd|export|set|unset|test|\[|:|true|false|echo|printf|read|shift|trap|umask|wait|exit|return|local|for|case|function|in|esac|done|fi)$/;
const BEFORE = /^(?:exec|command|time|nice|if|then|else|elif|while|until|do|!|\(|\{|env|[A-Za-z_]\w*=.*)$/;

/** Plain names only: a path belongs to the repository or to the environment. */
export function programsOf(command: Command): string[] {
  if (typeof command !== 'string') return [command[0] ?? ''].filter(isName);
  // Quoted text and what is put in by the shell may hold anything.
  const plain = command.slice(0, 10_000).replaceAll(/'[^']*'|"[^"]*"/g, 'Q=');
  if (/[`]|\$\(|<</.test(plain)) return [];
  const programs = plain.split(/&&|\|\||[;|&\n]/).map((part) => {
    const words = part
      .replaceAll(/([(){}])/g, ' $1 ')
      .split(/\s+/)
      .filter((word) => word !== '');
    return words.find((word) => !BEFORE.test(word)) ?? '';
  });
  return [...new Set(programs.filter((word) => isName(word) && !BUILTIN.test(word)))];
}

const isName = (word: string): boolean => /^[A-Za-z0-9][\w.+-]*$/.test(word);
