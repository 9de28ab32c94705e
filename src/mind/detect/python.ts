/** Python: uv, poetry, or requirements files with pip; the virtual environment lies outside of the tree. */
import { dependenciesOf } from './dependencies.ts';
import { type Found, isPlainPath, type Part, type SuggestedEnvironment, type SuggestedGate } from './found.ts';
import { baseName, dirName } from './paths.ts';
import { pythonChecks } from './python-checks.ts';
import { isRequirements } from './read-files.ts';

const VENV = '/env/venv';
/** Others, such as those for documentation, are not needed to test. */
const FOR_TESTS = /^requirements([._-]?(dev|develop|development|tests?|testing|ci))?\.txt$/;

export function detectPython(found: Found): Part | null {
  const { names, texts } = found;
  const project = texts.get('pyproject.toml');
  const requirements = [...names].filter((name) => FOR_TESTS.test(name)).sort(shorterFirst);
  const modules = [...names].some((name) => name.endsWith('.py'));
  const tests = testsOf(names);
  const said = project !== undefined || requirements.length > 0 || names.has('setup.py') || names.has('manage.py');
  if (!said && !(modules && tests !== null)) return null;
  const environment = environmentOf(names, requirements);
  const python = environment === null ? 'python3' : `${VENV}/bin/python`;
  const notes =
    environment === null && project !== undefined && /^dependencies[ \t]*=[ \t]*\[[ \t]*["'\n]/m.test(project)
      ? [
          'pyproject.toml has dependencies but no lock file: make one (uv lock, poetry lock, or a requirements.txt), then add an environment',
        ]
      : names.has('Pipfile.lock') && environment === null
        ? ['Pipfile.lock is there: write a requirements.txt (`pipenv requirements --dev`), then add an environment']
        : [];
  return {
    tool: 'python',
    gate: gateOf(found, python, tests),
    checks: pythonChecks(found, python, environment !== null),
    environment,
    notes,
  };
}

function gateOf(found: Found, python: string, tests: string | null): SuggestedGate | null {
  const { names, texts } = found;
  const uses = [...texts].find(
    ([name, text]) => (name === 'pyproject.toml' || isRequirements(name)) && /\bpytest\b/.test(text),
  );
  const why = names.has('pytest.ini') ? 'pytest.ini is there' : uses === undefined ? null : `${uses[0]} names pytest`;
  if (why !== null) return { command: `${python} -m pytest`, ids: 'pytest', reason: why };
  const django = [...texts.keys()].some((path) => baseName(path) === 'manage.py')
    ? dependenciesOf(found).python.get('django')
    : undefined;
  const manage = manageOf(found, django !== undefined);
  if (manage !== null) {
    const dir = dirName(manage);
    return {
      command: `${dir === '' ? '' : `cd ${dir} && `}${python} manage.py test`,
      ids: null,
      reason: `${manage} is there${django === undefined ? '' : ` and ${django} names django`}`,
    };
  }
  return tests === null
    ? null
    : {
        command: `${python} -m unittest discover${tests === '.' ? '' : ` -s ${tests}`}`,
        ids: null,
        reason: 'there are tests, and nothing names pytest',
      };
}

/** Where the tests are: a folder of them, or `.` for modules beside the others. */
const testsOf = (names: ReadonlySet<string>): string | null =>
  ['tests', 'test'].find((name) => names.has(`${name}/`)) ??
  ([...names].some((name) => /^test\w*\.py$/.test(name)) ? '.' : null);

/** Django's, at the top or in one folder of it; others have a `manage.py` too. */
const manageOf = ({ texts }: Found, named: boolean): string | null =>
  [...texts].find(
    ([path, text]) =>
      baseName(path) === 'manage.py' &&
      path.split('/').length <= 2 &&
      isPlainPath(path) &&
      (named || /\bdjango\b/.test(text)),
  )?.[0] ?? null;

function environmentOf(names: ReadonlySet<string>, requirements: readonly string[]): SuggestedEnvironment | null {
  const outputs = [VENV];
  if (names.has('uv.lock'))
    return {
      prepare: 'uv sync --frozen --no-install-project',
      key: ['pyproject.toml', 'uv.lock'],
      outputs,
      // A Python that uv fetched into a home directory is not there in a sandbox.
      env: { UV_PROJECT_ENVIRONMENT: VENV, UV_PYTHON_PREFERENCE: 'only-system', UV_LINK_MODE: 'copy' },
      reason: 'uv.lock is there: dependencies are installed by uv',
    };
  if (names.has('poetry.lock'))
    return {
      prepare: `python3 -m venv ${VENV} && VIRTUAL_ENV=${VENV} poetry install --no-root --no-interaction`,
      key: ['pyproject.toml', 'poetry.lock'],
      outputs,
      env: {},
      reason: 'poetry.lock is there: dependencies are installed by poetry',
    };
  if (requirements.length === 0) return null;
  const files = requirements.map((file) => `-r ${file}`).join(' ');
  return {
    prepare: `python3 -m venv ${VENV} && ${VENV}/bin/pip install ${files}`,
    key: requirements,
    outputs,
    env: {},
    reason: `${requirements.join(' and ')} ${requirements.length === 1 ? 'is' : 'are'} there: dependencies are installed by pip`,
  };
}

/** `requirements.txt` before `requirements-dev.txt`. */
const shorterFirst = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);
