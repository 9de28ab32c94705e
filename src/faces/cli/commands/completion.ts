/** `supervisor completion SHELL`: a script that completes commands, their actions and flags, made from the command table. */
import { GLOBAL_FLAGS } from '../args.ts';
import { type CommandRun, type CommandSpec, EXIT, UsageError } from '../command.ts';

/** The table is an argument, because it names this file. */
export const runWith =
  (commands: readonly CommandSpec[]): CommandRun =>
  async ({ args }) => {
    const shell = args[0];
    const write = shell === 'bash' ? bash : shell === 'zsh' ? zsh : shell === 'fish' ? fish : null;
    if (write === null)
      throw new UsageError(`no completion for ${JSON.stringify(shell)}: bash, zsh and fish are known`);
    process.stdout.write(write(commands));
    return EXIT.done;
  };

const namesOf = (commands: readonly CommandSpec[]): string => commands.map((command) => command.name).join(' ');
/** Words in lower case that the first argument may be: `list|show|check`. */
const actionsOf = ({ args }: CommandSpec): readonly string[] =>
  /^[a-z]+(?:\|[a-z]+)+$/.test(args[0]?.name ?? '') ? (args[0]?.name.split('|') ?? []) : [];
const wordsOf = (command: CommandSpec): string =>
  [...actionsOf(command), ...Object.keys({ ...command.flags, ...GLOBAL_FLAGS }).map((flag) => `--${flag}`)].join(' ');

function bash(commands: readonly CommandSpec[]): string {
  const cases = commands.map((command) => `    ${command.name}) words="${wordsOf(command)}" ;;`).join('\n');
  return `# supervisor completion for bash
_supervisor() {
  local words="${namesOf(commands)}"
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "\${COMP_WORDS[1]}" in
${cases}
    *) words="" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _supervisor supervisor
`;
}

function zsh(commands: readonly CommandSpec[]): string {
  const cases = commands.map((command) => `    ${command.name}) compadd -- ${wordsOf(command)} ;;`).join('\n');
  return `#compdef supervisor
# supervisor completion for zsh
_supervisor() {
  if (( CURRENT == 2 )); then
    compadd -- ${namesOf(commands)}
  else
    case "$words[2]" in
${cases}
    esac
    _files
  fi
}
compdef _supervisor supervisor
`;
}

function fish(commands: readonly CommandSpec[]): string {
  const lines = commands.flatMap((command) => [
    `complete -c supervisor -n __fish_use_subcommand -a ${command.name} -d '${command.summary.replaceAll("'", '')}'`,
    ...actionsOf(command).map(
      (action) => `complete -c supervisor -n '__fish_seen_subcommand_from ${command.name}' -a ${action}`,
    ),
    ...Object.entries({ ...command.flags, ...GLOBAL_FLAGS }).map(
      ([flag, { type, help }]) =>
        `complete -c supervisor -n '__fish_seen_subcommand_from ${command.name}' -l ${flag}${type === 'string' ? ' -r' : ''} -d '${help.replaceAll("'", '')}'`,
    ),
  ]);
  return `# supervisor completion for fish\n${lines.join('\n')}\n`;
}
