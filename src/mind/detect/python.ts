/** Python: uv, poetry, or requirements files with pip; the virtual environment lies outside of the tree. */
import { type Found, isRequirements, type Part, type SuggestedEnvironment } from './found.ts';

const VENV = '/env/venv';
/** Others, such as those for documentation, are not needed to test. */
const FOR_TESTS = /^requirements([._-]?(dev|develop|development|tests?|testing|ci))?\.txt$/;

export function detectPython(found: Found): Part | null {
  const { names, texts } = found;
  const project = texts.get('pyproject.toml');
  const requirements = [...names].filter((name) => FOR_TESTS.test(name)).sort(shorterFirst);
  const folder = ['tests', 'test'].find((name) => names.has(`${name}/`));
  const modules = folder !== undefined && [...names].some((name) => name.endsWith('.py'));
  if (project === undefined && requirements.length === 0 && !names.has('setup.py') && !modules) return null;
  const environment = environmentOf(names, requirements);
  const python = environment === null ? 'python3' : `${VENV}/bin/python`;
  const uses = [...texts].find(
    ([name, text]) => (name === 'pyproject.toml' || isRequirements(name)) && /\bpytest\b/.test(text),
  );
  const why = names.has('pytest.ini') ? 'pytest.ini is there' : uses === undefined ? null : `${uses[0]} names pytest`;
  const gate =
    why !== null
      ? { command: `${python} -m pytest`, ids: 'pytest' as const, reason: why }
      : folder !== undefined
        ? {
            command: `${python} -m unittest discover -s ${folder}`,
            ids: null,
            reason: 'there are tests, and nothing names pytest',
          }
        : null;
  const notes =
    environment === null && project !== undefined && /^dependencies[ \t]*=[ \t]*\[[ \t]*["'\n]/m.test(project)
      ? [
          'pyproject.toml has dependencies but no lock file: make one (uv lock, poetry lock, or a requirements.txt), then add an environment',
        ]
      : [];
  return { tool: 'python', gate, environment, notes };
}

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
