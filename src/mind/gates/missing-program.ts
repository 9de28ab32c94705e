/** Recognises a gate whose program is not installed although its exit code is that of failed tests. */
import type { GateCommand } from './kinds.ts';

/** `python -m NAME`; the name of a submodule ends elsewhere and is the project's own. */
const PYTHON_MODULE = /(?:^|[\s/"'])python[\d.]*["']?(?: +-\w+)*? +-m +(\w+)(?![\w.])/g;
/** make ends with 2 whatever its recipe ended with, and prints that. */
const MAKE = /(?:^|[\s/"'])g?make(?![\w.-])/;
const MAKE_ERROR = /^g?make(?:\[\d+\])?: \*\*\* \[.{1,300}\] Error 12[67]$/m;

/** The missing program and how to get it, or null. Output of the code under check can only turn red into an error. */
export function missingProgram(command: GateCommand, output: string): string | null {
  const line = typeof command === 'string' ? command : command.join(' ');
  for (const [, name = ''] of line.matchAll(PYTHON_MODULE))
    if (new RegExp(`^\\S*python[\\d.]*: No module named ${name}$`, 'm').test(output))
      return `Python has no module ${name} here: let \`environment:\` of the config install it, or install it for the python on the gate's PATH`;
  return MAKE.test(line) && MAKE_ERROR.test(output)
    ? "a program that make starts does not exist or cannot run: install it on the gate's PATH"
    : null;
}
