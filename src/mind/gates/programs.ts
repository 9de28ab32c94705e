/** Which programs a command line starts, as far as that can be parsed without a shell. */
import type { GateCommand } from './kinds.ts';

/** Shell words that start nothing, and those that start what follows. */
const BUILTIN =
  /^(?:cd|export|set|unset|test|\[|:|true|false|echo|printf|read|shift|trap|umask|wait|exit|return|local|for|case|function|in|esac|done|fi)$/;
const BEFORE = /^(?:exec|command|time|nice|if|then|else|elif|while|until|do|!|\(|\{|env|[A-Za-z_]\w*=.*)$/;

/** Only plain names: a path belongs to the repository or the environment. */
export function programsOf(command: GateCommand): string[] {
  if (typeof command !== 'string') return [command[0] ?? ''].filter(isName);
  // Quoted text and shell substitutions may hold anything.
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

/** `npm test`, `npm run lint -- --fix`, `pnpm typecheck`: the name of the script, if the command is nothing else. */
const SCRIPT = /^\s*(?:npm|pnpm|yarn|bun)\s+(?:(?:run|run-script)\s+)?([\w:.-]{1,80})(?=\s|$)/;

/** Programs that the scripts of a package.json start for this command; none if it runs no script. */
export function programsOfScript(command: GateCommand, scripts: Readonly<Record<string, string>>): string[] {
  const line = typeof command === 'string' ? command : command.join(' ');
  const script = scripts[SCRIPT.exec(line)?.[1] ?? ''];
  return script === undefined ? [] : programsOf(script);
}

const isName = (word: string): boolean => /^[A-Za-z0-9][\w.+-]*$/.test(word);
