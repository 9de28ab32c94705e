/** Finds calls that end the process with success: in a test they hide all the tests that never ran. */
import type { AddedLine } from '../changes/changed-file.ts';
import { AFTER, type FileFacts } from './file-facts.ts';
import { type FindingRule, type Hit, quoted } from './rule.ts';

const EXITS: Readonly<Record<string, RegExp>> = {
  script:
    /\bprocess\s{0,3}(?:\?\.|\.)\s{0,3}(?:exit|reallyExit)\s{0,3}\(\s{0,9}(?:0|void 0|undefined)?\s{0,9}\)|\bprocess\s{0,3}\[.{0,12}\]\s{0,3}\(\s{0,3}0?\s{0,3}\)|\bprocess\.exitCode\s{0,3}=\s{0,3}0\b|\bprocess\.(?:abort|kill)\s{0,3}\(\s{0,3}process\.pid\b|\bDeno\.exit\(\s{0,3}0?\s{0,3}\)|\bBun\.exit\(/,
  python:
    /\bos\._exit\s{0,3}\(\s{0,3}(?:0|os\.EX_OK)?\s{0,3}\)|\bsys\.exit\s{0,3}\(\s{0,3}(?:0|None)?\s{0,3}\)|\braise\s{1,3}SystemExit\b(?!\s{0,3}\(\s{0,3}[^)\s0N])|(?<![\w.])(?:exit|quit)\s{0,3}\(\s{0,3}0?\s{0,3}\)|\bpytest\.exit\(|\bos\.kill\s{0,3}\(\s{0,3}os\.getpid\(/,
  go: /\b(?:os|syscall|unix)\.Exit\s{0,3}\(\s{0,3}0\s{0,3}\)|\bruntime\.Goexit\(/,
  rust: /\bprocess::exit\s{0,3}\(\s{0,3}0\s{0,3}\)|\blibc::_?exit\s{0,3}\(\s{0,3}0\s{0,3}\)/,
  java: /\bSystem\.exit\s{0,3}\(\s{0,3}0\s{0,3}\)|\bRuntime\.getRuntime\(\)\.(?:exit|halt)\(\s{0,3}0\s{0,3}\)/,
};
/** Files where a program ends because it is done. */
const ENTRY =
  /(?:^|\/)(?:bin|cmd|scripts?|tools?|cli|examples?|bench(?:es|marks?)?|docs?|website)\/|(?:^|\/)(?:main|__main__|cli|index|server|app|manage|setup|noxfile|build)\.\w+$|(?:^|[._-])(?:cli|main)\.\w+$/;
/** Programs that tests start, and that may end as they like. */
const PLAYED =
  /(?:^|\/)(?:fixtures?|__fixtures__|testdata|mocks?|__mocks__|programs?|examples?|helpers?\/bin|stubs?)\//;
/** Loaded by the runner before, or into, every test. */
const SETUP =
  /(?:^|\/)(?:conftest\.py|sitecustomize\.py|usercustomize\.py|(?:jest|vitest|mocha|test|tests)[._-]?setup[^/]*|setup[._-]?(?:tests?|jest|vitest|env|files?)[^/]*|global-?setup[^/]*|\.mocharc\.[cm]?js|(?:jest|vitest|karma|playwright|cypress)\.config\.\w+)$/i;
const LOADED = /(?:^|\/)(?:index|app)\.\w+$/;
/** A module that others load needs none of these: they skip code at exit, or turn a failure into a success. */
const HARD =
  /\bprocess\s{0,3}(?:\?\.|\.)\s{0,3}reallyExit\b|\bprocess\s{0,3}\[|\bprocess\.(?:on|once|prependListener)\(\s{0,3}.{0,20}\bexit\b|\bos\._exit\s{0,3}\(|\batexit\.register\(|\bprocess\.exitCode\s{0,3}=\s{0,3}0\b|\bruntime\.Goexit\(|\bsyscall\.Exit\(|\bhalt\(/;
/** Whatever ran before, the process ends as a success: words about exits do not ask for that, words about its code do. */
const AT_EXIT = /\bprocess\.(?:on|once|addListener|prepend\w*)\(\s{0,9}['"`](?:beforeE|e)xit\b|\batexit\.register\b/;
const ASKED_CODE = /\bexit (?:code|status)\b/i;
const ASKED = /\b(?:exit\w*|quit\w*|terminat\w*|shut\w*[ -]?down|end the process|stop the process)\b/i;

/** Whether a line of code ends the process with success. */
export function exits(file: FileFacts, line: AddedLine): boolean {
  const name = file.language === 'javascript' || file.language === 'typescript' ? 'script' : file.language;
  return EXITS[name]?.test(file.codeOf(line).slice(0, 2_000)) ?? false;
}

export const earlyExit: FindingRule = ({ files, words }) => {
  const [asked, ofCode] = [words.asks(ASKED), words.asks(ASKED_CODE)];
  return files.flatMap((file) => {
    if (file.file.after === null) return [];
    const decides = SETUP.test(file.path) || (file.isTest && !PLAYED.test(file.path) && holdsTests(file));
    return file.added
      .filter((line) => exits(file, line))
      .flatMap((line) => {
        const hides = isAtExit(file, line);
        const isAsked = hides ? ofCode : asked;
        return decides || hides ? inTests(file, line, isAsked) : inProduct(file, line, isAsked);
      });
  });
};

/** Within a handler of the end of the process, which began a few lines above at most. */
function isAtExit(file: FileFacts, { line }: AddedLine): boolean {
  const above =
    file
      .text(AFTER)
      ?.split('\n')
      .slice(Math.max(0, line - 4), line) ?? [];
  const from = above.findLastIndex((one) => AT_EXIT.test(one.slice(0, 2_000)));
  return from >= 0 && !above.slice(from, -1).some((one) => /^\}\)/.test(one));
}

/** A file without tests below a directory of tests is a program that tests start, or a helper that they load. */
function holdsTests(file: FileFacts): boolean {
  return file.tests(AFTER).tests.length > 0 || /(?:^|[._-])tests?[._-]|[._-](?:spec|tests?)\./i.test(file.path);
}

function inTests({ path }: FileFacts, { line, text }: AddedLine, asked: boolean): Hit[] {
  const message = `${quoted(text)} ends the process as a success, whatever its tests or callers found: remove it`;
  return [{ rule: 'early-exit', severity: asked ? 'medium' : 'high', path, line, message, blocks: !asked }];
}

function inProduct({ path, isTest }: FileFacts, { line, text }: AddedLine, asked: boolean): Hit[] {
  const blocks = HARD.test(text.slice(0, 2_000));
  // An index is sometimes the entry of a program, but others also load it.
  if (asked || isTest || (ENTRY.test(path) && !(blocks && LOADED.test(path)))) return [];
  const message = `${quoted(text)} ends the whole process as a success from inside of a module: return or throw instead`;
  return [{ rule: 'early-exit', severity: blocks ? 'high' : 'medium', path, line, message, blocks }];
}
