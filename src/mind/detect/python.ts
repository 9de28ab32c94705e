/** Python: uv, poetry, or requirements files with pip; the virtual environment lies outside the tree. */
import { dependenciesOf, pythonLists } from './dependencies.ts';
import { baseName, dirName, joinPath } from './paths.ts';
import { importPath, ownPython } from './python-own.ts';
import { isRequirements } from './read-files.ts';
import {
  type Check,
  isPlainPath,
  type RepositoryFacts,
  type SuggestedEnvironment,
  type SuggestedGate,
  type ToolChainFacts,
} from './repository-facts.ts';

const VENV = '/env/venv';
/** Others, such as those for documentation, are not needed for tests. */
const FOR_TESTS = /^requirements([._-]?(dev|develop|development|tests?|testing|ci))?\.txt$/;

export function detectPython(found: RepositoryFacts): ToolChainFacts | null {
  const { names, texts } = found;
  const project = texts.get('pyproject.toml');
  const requirements = [...names].filter((name) => FOR_TESTS.test(name)).sort(shorterFirst);
  const unlocked = unlockedIn(texts);
  const modules = [...names].some((name) => name.endsWith('.py'));
  const tests = testsOf(names);
  const said = project !== undefined || requirements.length > 0 || names.has('setup.py') || names.has('manage.py');
  if (!said && !(modules && tests !== null)) return null;
  const own = ownPython(found);
  const environment = withTool(environmentOf(found, requirements), own?.needs ?? null);
  const python = environment === null ? 'python3' : `${VENV}/bin/python`;
  const notes =
    environment === null && unlocked !== null
      ? [
          `${unlocked} has dependencies but no lock file: make one (uv lock, poetry lock, or a requirements.txt), then add an environment`,
        ]
      : names.has('Pipfile.lock') && environment === null
        ? ['Pipfile.lock is there: write a requirements.txt (`pipenv requirements --dev`), then add an environment']
        : environment === null && dependenciesOf(found, 'all').python.has('pytest')
          ? ['nothing installs pytest here: make a lock file or a requirements.txt, then add an environment']
          : [];
  const path = importPath(found);
  return {
    tool: 'python',
    gate: own === null ? gateOf(found, python, { tests, path }) : withoutNeeds(own),
    // The target's recipe may call a bare `pytest`, for an installed project.
    make: { prefix: `PYTHONPATH=${path} ` },
    checks: pythonChecks(found, python, installedBy(environment, requirements)),
    environment,
    notes,
  };
}

/** The manifest that names dependencies of the project itself. */
function unlockedIn(texts: RepositoryFacts['texts']): string | null {
  const named = MANIFESTS.find(([file, list]) => list.test((texts.get(file) ?? '').slice(0, MOST_TEXT)));
  return named?.[0] ?? null;
}

const MOST_TEXT = 1 << 18;
const MANIFESTS: readonly (readonly [string, RegExp])[] = [
  ['pyproject.toml', /^dependencies[ \t]*=[ \t]*\[[ \t]*["'\n]/m],
  ['setup.cfg', /^install_requires[ \t]*=[ \t]*(?:\n[ \t]+)?[\w]/m],
  ['setup.py', /\binstall_requires[ \t]*=[ \t]*\[\s{0,200}["']/],
];

const withoutNeeds = ({ command, ids, reason }: SuggestedGate): SuggestedGate => ({ command, ids, reason });

/** `python -m` finds modules at the top; packages below `src` have to be named. */
function gateOf(
  found: RepositoryFacts,
  program: string,
  { tests, path }: { readonly tests: string | null; readonly path: 'src' | '.' },
): SuggestedGate | null {
  const { names, texts } = found;
  const python = path === '.' ? program : `PYTHONPATH=${path} ${program}`;
  const uses = [...texts].find(
    ([name, text]) => (name === 'pyproject.toml' || isRequirements(name)) && /\bpytest\b/.test(text),
  );
  // Only pytest reads these; unittest would find none of its tests.
  const own = names.has('pytest.ini') ? 'pytest.ini' : found.paths.find((path) => baseName(path) === 'conftest.py');
  const why = own !== undefined ? `${own} is there` : uses === undefined ? null : `${uses[0]} names pytest`;
  if (why !== null) return { command: `${python} -m pytest`, ids: 'pytest', reason: why };
  const django = [...texts.keys()].some((path) => baseName(path) === 'manage.py')
    ? dependenciesOf(found, 'all').python.get('django')
    : undefined;
  const manage = manageOf(found, django !== undefined);
  if (manage !== null) {
    const dir = dirName(manage);
    return {
      command: `${dir === '' ? '' : `cd ${dir} && `}${program} manage.py test`,
      ids: null,
      reason: `${manage} is there${django === undefined ? '' : ` and ${django} names django`}`,
    };
  }
  const runner = ['runtests.py', 'tests/runtests.py', 'test/runtests.py'].find((file) => found.paths.includes(file));
  if (runner !== undefined)
    return { command: `PYTHONPATH=${path} ${program} ${runner}`, ids: null, reason: `${runner} is there` };
  return tests === null
    ? null
    : {
        command: `${python} -m unittest discover${tests === '.' ? '' : ` -s ${tests}`}`,
        ids: 'unittest',
        reason: 'there are tests, and nothing names pytest',
      };
}

/** Where the tests are: a folder, or `.` for modules beside the others. */
const testsOf = (names: ReadonlySet<string>): string | null =>
  ['tests', 'test'].find((name) => names.has(`${name}/`)) ??
  ([...names].some((name) => /^test\w*\.py$/.test(name)) ? '.' : null);

/** Django's `manage.py`, at the top or in one folder; other projects have such a file too. */
const manageOf = ({ texts }: RepositoryFacts, named: boolean): string | null =>
  [...texts].find(
    ([path, text]) =>
      baseName(path) === 'manage.py' &&
      path.split('/').length <= 2 &&
      isPlainPath(path) &&
      (named || /\bdjango\b/.test(text)),
  )?.[0] ?? null;

function environmentOf(
  { names, texts }: RepositoryFacts,
  requirements: readonly string[],
): SuggestedEnvironment | null {
  const outputs = [VENV];
  if (names.has('uv.lock'))
    return {
      prepare: ['uv sync --frozen --no-install-project', ...groupFlags(texts.get('pyproject.toml') ?? '')].join(' '),
      key: ['pyproject.toml', 'uv.lock'],
      outputs,
      // A sandbox does not see a Python that uv downloaded into a home directory.
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
  const read = withIncluded(requirements, texts);
  const files = requirements.map((file) => `-r ${file}`).join(' ');
  return {
    prepare: `python3 -m venv ${VENV} && ${VENV}/bin/pip install ${files}`,
    key: [...read, ...ownManifests(read.map((file) => texts.get(file) ?? '')).filter((one) => names.has(one))],
    outputs,
    env: {},
    reason: `${requirements.join(' and ')} ${requirements.length === 1 ? 'is' : 'are'} there: dependencies are installed by pip`,
  };
}

/** Files that `-r` and `-c` lines name, relative to the file that names them. */
function withIncluded(requirements: readonly string[], texts: RepositoryFacts['texts']): string[] {
  const all = new Set(requirements);
  for (const file of all) {
    const lines = (texts.get(file) ?? '').slice(0, MOST_TEXT);
    for (const [, name = ''] of lines.matchAll(/^(?:-[rc][ \t]*|--(?:requirement|constraint)[ =])([^\s#]+)/gm))
      if (isPlainPath(name) && texts.has(joinPath(dirName(file), name))) all.add(joinPath(dirName(file), name));
    if (all.size > MOST_INCLUDED) break;
  }
  return [...all];
}

const MOST_INCLUDED = 20;

/** Without flags uv installs only the group `dev`; pytest and linters are often in `tests`, `typing` or an extra. */
function groupFlags(project: string): string[] {
  const groups = pythonLists(project, 'dependency-groups');
  const extras = pythonLists(project, 'project.optional-dependencies');
  const withIncluded = (name: string, depth = 0): readonly string[] =>
    depth > 5 ? [] : (groups.get(name) ?? []).flatMap((one) => [one, ...withIncluded(one, depth + 1)]);
  const installed = new Set([
    ...(pythonLists(project, 'project').get('dependencies') ?? []),
    ...(pythonLists(project, 'tool.uv').get('dev-dependencies') ?? []),
    ...withIncluded('dev'),
  ]);
  const custom = /^default-groups[ \t]*=/m.test(project);
  const flags: string[] = [];
  for (const tool of new Set(['pytest', ...TOOLS.map((one) => one.package)])) {
    if (custom || installed.has(tool)) continue;
    const group = testsFirst(groups.keys()).find((name) => withIncluded(name).includes(tool));
    const extra = testsFirst(extras.keys()).find((name) => extras.get(name)?.includes(tool));
    const name = group ?? extra;
    if (name === undefined) continue;
    flags.push(group === undefined ? `--extra ${name}` : `--group ${name}`);
    for (const one of group === undefined ? (extras.get(name) ?? []) : withIncluded(name)) installed.add(one);
  }
  return flags;
}

const testsFirst = (names: Iterable<string>): string[] =>
  [...names].sort((a, b) => Number(/^tests?$|^testing$/.test(b)) - Number(/^tests?$|^testing$/.test(a)));

/** Files whose packages are in the environment; pip ignores groups of a pyproject.toml. */
const installedBy = (environment: SuggestedEnvironment | null, requirements: readonly string[]): readonly string[] => {
  if (environment === null) return [];
  return environment.prepare.includes('/pip install -r ') ? requirements : environment.key;
};

/** `-e .[socks]` installs what the project itself requires, so its own manifests count too. */
const ownManifests = (requirements: readonly string[]): string[] =>
  requirements.some((text) => /^(?:-e[ \t]+|--editable[ =])?\.(?:\/?[ \t]*(?:#.*)?$|\[)/m.test(text))
    ? ['pyproject.toml', 'setup.cfg', 'setup.py']
    : [];

function withTool(environment: SuggestedEnvironment | null, tool: string | null): SuggestedEnvironment | null {
  if (environment === null || tool === null) return environment;
  // A virtual environment made by uv has no pip.
  const install = environment.prepare.startsWith('uv ')
    ? `uv pip install --python ${VENV}/bin/python ${tool}`
    : `${VENV}/bin/pip install ${tool}`;
  return { ...environment, prepare: `${environment.prepare} && ${install}` };
}

/** `requirements.txt` before `requirements-dev.txt`. */
const shorterFirst = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);

/** Linters, formatters, types and coverage of a Python project. */
type PythonTool = {
  readonly name: Check['name'];
  readonly package: string;
  readonly run: string;
  readonly idea?: true;
  /** Only if this package is named too. */
  readonly beside?: string;
};

const TOOLS: readonly PythonTool[] = [
  { name: 'lint', package: 'ruff', run: 'ruff check .' },
  { name: 'lint', package: 'flake8', run: 'flake8' },
  { name: 'lint', package: 'pylint', run: 'pylint --recursive=y .' },
  { name: 'format', package: 'black', run: 'black --check .' },
  // Many use ruff only for its rules.
  { name: 'format', package: 'ruff', run: 'ruff format --check .', idea: true },
  { name: 'types', package: 'mypy', run: 'mypy .' },
  { name: 'types', package: 'pyright', run: 'pyright' },
  { name: 'coverage', package: 'pytest-cov', run: 'pytest --cov', idea: true },
  { name: 'coverage', package: 'coverage', run: 'coverage run -m pytest', idea: true, beside: 'pytest' },
  { name: 'coverage', package: 'coverage', run: 'coverage run -m unittest discover', idea: true },
];

/** `installed`: the files whose packages are installed. */
function pythonChecks(found: RepositoryFacts, python: string, installed: readonly string[]): Check[] {
  // Packages of other folders are not installed here.
  const texts = new Map([...found.texts].filter(([path]) => !path.includes('/')));
  const named = dependenciesOf({ texts }, 'all').python;
  const taken = new Set<string>();
  return TOOLS.flatMap((tool) => {
    const file = named.get(tool.package);
    if (file === undefined || taken.has(tool.name)) return [];
    if (tool.beside !== undefined && !named.has(tool.beside)) return [];
    // Beside ruff, black without its own settings serves something else, for example mkdocstrings.
    if (tool.package === 'black' && named.has('ruff') && !/^\[tool\.black\]/m.test(texts.get('pyproject.toml') ?? ''))
      return [];
    taken.add(tool.name);
    return [
      {
        name: tool.name,
        command: `${python} -m ${tool.run}`,
        reason: `${file} names ${tool.package}`,
        sure: installed.includes(file) && tool.idea !== true,
      },
    ];
  });
}
