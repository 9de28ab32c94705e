/** What `init --yes` wrote is run in a real sandbox: the project's own tests, and Python packages below `src`. */
import { expect, test } from 'vitest';
import { PATH } from '../real/task.ts';
import { World } from '../support/cli.ts';
import { worksOn } from './samples.ts';

const TESTS =
  'import unittest\nfrom shop.prices import tax\n\nclass Prices(unittest.TestCase):\n    def test_tax(self):\n        self.assertEqual(tax(100), 19)\n';
const SRC = {
  'pyproject.toml': '[project]\nname = "shop"\n',
  'src/shop/__init__.py': '',
  'src/shop/prices.py': '',
  'tests/test_prices.py': TESTS,
};
const TASK = {
  file: 'src/shop/prices.py',
  wrong: 'def tax(cents):\n    return 0\n',
  right: 'def tax(cents):\n    return cents * 19 // 100\n',
};

test.each<[string, Readonly<Record<string, string>>, string]>([
  ['a src layout', {}, 'PYTHONPATH=src python3 -m unittest discover -s tests'],
  [
    'tox',
    { 'tox.ini': '[testenv]\ncommands =\n  python -m unittest {posargs:discover -v} -s {toxinidir}/tests\n' },
    'PYTHONPATH=src python3 -m unittest discover -v -s ./tests',
  ],
  [
    'make',
    { Makefile: 'test:\n\tpython3 -m unittest discover -s tests\n', 'test/x': '' },
    'PYTHONPATH=src make -B test',
  ],
])('%s', async (_, files, command) => {
  using world = new World();
  world.commit({ ...SRC, ...files }, 'shop');
  const told = await world.json<{ gates: { command: string | null }[] }>(['init', '--yes'], { PATH });
  expect(told.gates.flatMap((gate) => gate.command ?? [])).toEqual([command]);
  await worksOn(world, { task: TASK });
});
