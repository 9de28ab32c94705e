/** Which modules a file names, as it names them. `resolve.ts` finds the files. */
import { goImports, javaImports } from './imports-compiled.ts';
import { pythonImports } from './imports-python.ts';
import { rustImports } from './imports-rust.ts';
import { scriptImports } from './imports-script.ts';
import { languageOf } from './languages.ts';
import { scriptOf } from './script-blocks.ts';

/** Each once, in the order of the text. Names that are computed are left out. */
export function importsIn(path: string, text: string): readonly string[] {
  switch (languageOf(path)) {
    case 'typescript':
    case 'javascript':
      return scriptImports(scriptOf(path, text));
    case 'python':
      return pythonImports(text);
    case 'go':
      return goImports(text);
    case 'rust':
      return rustImports(text);
    case 'java':
      return javaImports(text);
    default:
      return [];
  }
}
