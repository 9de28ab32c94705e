/** Finds new files that cannot be read in a diff. */
import { nameOf } from '../code/paths.ts';
import type { FindingRule, Hit } from './rule.ts';

const PROGRAM =
  /\.(?:exe|dll|so(?:\.\d+)*|dylib|a|o|obj|lib|class|jar|war|ear|pyc|pyo|pyd|node|wasm|msi|deb|rpm|apk|appimage|com|scr|bin|elf|ko|whl|gem|nupkg)$/i;
const DATA =
  /\.(?:zip|tar|tgz|gz|bz2|xz|7z|rar|zst|png|jpe?g|gif|ico|webp|avif|bmp|tiff?|pdf|woff2?|ttf|otf|eot|mp[34]|wav|ogg|webm|mov|sqlite3?|db|pkl|pickle|npy|npz|parquet|onnx|pt|p12|pfx|jks|keystore|der)$/i;
const MAGIC =
  /^(?:\x7fELF|MZ|\0asm|\xca\xfe\xba\xbe|\xcf\xfa\xed\xfe|\xfe\xed\xfa[\xce\xcf]|!<arch>\n|\ufffd\ufffd\ufffd\ufffd)/;
const HEAD = 8_192;

export const newBinary: FindingRule = ({ files, isGranted }) =>
  files.flatMap(({ path, file: { before, after }, isTest }): Hit[] => {
    // A deleted file has text before; without text on either side the file could not be read as text.
    if (before !== null) return [];
    const head = after?.slice(0, HEAD) ?? '';
    const isBinary = after === null ? PROGRAM.test(path) || DATA.test(path) : looksBinary(head);
    if (!isBinary) return [];
    const isProgram = PROGRAM.test(path) || MAGIC.test(head);
    const blocks = isProgram && !isTest && !isGranted(path);
    const what = isProgram ? 'an executable file or archive of code' : 'a binary file';
    const message = `${nameOf(path).slice(0, 80)} is new and ${what} that no review can read: build it from source, or have the task allow it`;
    return [{ rule: 'new-binary', severity: blocks ? 'high' : 'medium', path, line: null, message, blocks }];
  });

/** A NUL, or one character in ten that text does not have. */
function looksBinary(head: string): boolean {
  if (head.includes('\0')) return true;
  let strange = 0;
  for (let i = 0; i < head.length; i += 1) {
    const code = head.charCodeAt(i);
    if (code === 0xfffd || (code < 32 && (code < 8 || code > 13) && code !== 27)) strange += 1;
  }
  return strange * 10 > head.length;
}
