/** Linters, formatters, types and coverage of a Python project. */
import { dependenciesOf } from './dependencies.ts';
import type { Check, Found } from './found.ts';

type Tool = { readonly name: Check['name']; readonly package: string; readonly run: string; readonly idea?: true };

const TOOLS: readonly Tool[] = [
  { name: 'lint', package: 'ruff', run: 'ruff check .' },
  { name: 'lint', package: 'flake8', run: 'flake8' },
  { name: 'lint', package: 'pylint', run: 'pylint --recursive=y .' },
  { name: 'format', package: 'black', run: 'black --check .' },
  // Many have ruff for its rules alone.
  { name: 'format', package: 'ruff', run: 'ruff format --check .', idea: true },
  { name: 'types', package: 'mypy', run: 'mypy .' },
  { name: 'types', package: 'pyright', run: 'pyright' },
  { name: 'coverage', package: 'pytest-cov', run: 'pytest --cov', idea: true },
  { name: 'coverage', package: 'coverage', run: 'coverage run -m unittest discover', idea: true },
];

export function pythonChecks(found: Found, python: string, installed: boolean): Check[] {
  // Those of other folders are not installed here.
  const texts = new Map([...found.texts].filter(([path]) => !path.includes('/')));
  const named = dependenciesOf({ texts }).python;
  const taken = new Set<string>();
  return TOOLS.flatMap((tool) => {
    const file = named.get(tool.package);
    if (file === undefined || taken.has(tool.name)) return [];
    taken.add(tool.name);
    return [
      {
        name: tool.name,
        command: `${python} -m ${tool.run}`,
        reason: `${file} names ${tool.package}`,
        sure: installed && tool.idea !== true,
      },
    ];
  });
}
