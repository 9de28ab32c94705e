/** Finds new Python files that replace a module of the standard library: tests and their runner load them instead. */
import { type FindingRule, type Hit, quoted } from './rule.ts';

/** Modules that unittest, pytest and the like import, and that projects seldom have at the top. */
const STANDARD: ReadonlySet<string> = new Set(
  (
    'abc argparse ast asyncio atexit base64 bdb bisect builtins calendar codecs collections contextlib copy copyreg csv ' +
    'ctypes dataclasses datetime decimal difflib dis doctest enum errno fnmatch fractions functools gc genericpath getopt ' +
    'gettext glob hashlib heapq importlib inspect io itertools json keyword linecache locale logging marshal math ' +
    'mimetypes multiprocessing ntpath opcode operator os pathlib pickle pkgutil posixpath pprint queue random re reprlib ' +
    'runpy sched selectors shlex shutil signal site sitecustomize socket sqlite3 sre_compile sre_parse stat string struct ' +
    'subprocess sys sysconfig tempfile textwrap threading time token tokenize traceback types typing unittest ' +
    'usercustomize uuid warnings weakref zipimport zlib pytest _pytest pluggy'
  ).split(' '),
);

export const shadowedLibrary: FindingRule = ({ files, words }) =>
  files.flatMap(({ path, file }): Hit[] => {
    const name = /^(\w+)(?:\.py|\/__init__\.py)$/.exec(path)?.[1];
    if (name === undefined || file.before !== null || file.after === null || !STANDARD.has(name)) return [];
    const blocks = !words.clauses.some(({ text, forbidsFrom }) => text.slice(0, forbidsFrom).includes(path));
    const message = `This file is loaded in place of the module ${quoted(name)} of Python, by tests and their runner too: give it another name`;
    return [{ rule: 'library-shadowed', severity: blocks ? 'high' : 'medium', path, line: null, message, blocks }];
  });
