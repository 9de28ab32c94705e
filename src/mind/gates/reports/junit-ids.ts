/**
 * Names a test of a JUnit report as its runner prints it. JUnit has no standard for this, so each runner has its own
 * rule.
 */
import { relativePath } from './report.ts';

type JunitCase = {
  /** Names of the suites around it, outermost first. */
  readonly suites: readonly string[];
  readonly classname: string;
  readonly name: string;
  readonly file: string | null;
};
type Identity = {
  readonly file: string | null;
  readonly id: string;
  /** The case stands for a whole file, because a runner lists files without tests or with an early end as tests. */
  readonly isFile: boolean;
};

export const VITEST_ERRORS = 'vitest unhandled errors';

export function identityOf(test: JunitCase, isPytest: boolean): Identity {
  if (isPytest) return pytestIdentity(test);
  const file = test.file === null ? null : relativePath(test.file);
  if (isOfNode(test) && file !== null) {
    // node escapes quotes twice.
    const id = [file, ...test.suites, test.name].join(' > ').replaceAll('&quot;', '"');
    const isFile = test.suites.length === 0 && (file === test.name || file.endsWith(`/${relativePath(test.name)}`));
    return { file, id, isFile };
  }
  const { suites, classname, name } = test;
  // vitest names suite and class after the file.
  const isVitest = suites.length === 1 && suites[0] === classname && classname !== '';
  const of = file ?? (isVitest && /\.[cm]?[jt]sx?$/.test(classname) ? classname : null);
  const parts = [file ?? '', ...suites, classname, name].filter((part, index, all) => {
    const isTold = all.indexOf(part) < index || (file !== null && relativePath(part) === file && index > 0);
    return index === all.length - 1 || (part !== '' && !isTold);
  });
  return { file: of, id: parts.join(' > '), isFile: isVitest && (name === classname || classname === VITEST_ERRORS) };
}

/** `test` for tests outside any suite, otherwise the suites joined by a dot. */
const isOfNode = ({ suites, classname, file }: JunitCase): boolean =>
  file !== null && classname === (suites.length === 0 ? 'test' : suites.join('.'));

/** `path/to/test_x.py::Class::name` from `path.to.test_x.Class` and the name. */
function pytestIdentity({ classname, name, file }: JunitCase): Identity {
  // A file that could not be collected has no class; its name is the module.
  if (classname === '') return { file: null, id: name, isFile: true };
  const parts = classname.split('.');
  const size = (file === null ? null : sizeOfModule(classname, file)) ?? guessedSize(parts);
  const path = `${parts.slice(0, size).join('/')}.py`;
  return { file: path, id: [path, ...parts.slice(size), name].join('::'), isFile: false };
}

/** How many dotted parts name the file; null if the test was inherited from another file. */
function sizeOfModule(classname: string, file: string): number | null {
  const module = relativePath(file).replace(/\.py$/, '').replaceAll('/', '.');
  return classname === module || classname.startsWith(`${module}.`) ? module.split('.').length : null;
}

/** Without the file's name: a module is called `test_x` or `x_test`, and classes start with a capital letter. */
function guessedSize(parts: readonly string[]): number {
  const module = parts.findLastIndex((part) => /^test_|_test$/.test(part));
  if (module >= 0) return module + 1;
  const firstClass = parts.findIndex((part, index) => index > 0 && /^[A-Z]/.test(part));
  return firstClass < 0 ? parts.length : firstClass;
}
