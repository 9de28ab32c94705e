/** The modules that a file names, as written. `resolve.ts` finds the files. */
import { goImports, javaImports } from './imports-compiled.ts';
import { pythonImports } from './imports-python.ts';
import { rustImports } from './imports-rust.ts';
import { scriptImports } from './imports-script.ts';
import { languageOf } from './languages.ts';
import { scriptOf } from './script-blocks.ts';

/** Each once, in text order, without computed names. */
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
