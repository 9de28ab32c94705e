/** A Python project with requirements: its virtual environment is prepared by pip. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { World } from '../support/cli.ts';
import { fromInitToLand } from './from-init-to-land.ts';
import { PYTHON } from './python.ts';

/** The smallest wheel there is. */
const WHEEL = `
import sys, zipfile
info = 'tiny_dep-1.0.dist-info'
files = {
    'tiny_dep.py': 'def polite(text):\\n    return "dear " + text\\n',
    info + '/METADATA': 'Metadata-Version: 2.1\\nName: tiny-dep\\nVersion: 1.0\\n',
    info + '/WHEEL': 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n',
}
files[info + '/RECORD'] = ''.join(f'{name},,\\n' for name in [*files, info + '/RECORD'])
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    for name, text in files.items():
        wheel.writestr(name, text)
`;

test('Python: a virtual environment from requirements.txt, `unittest`', async () => {
  using world = new World();
  const wheels = join(world.dir, 'wheels');
  mkdirSync(wheels, { mode: 0o755 });
  execFileSync('python3', ['-c', WHEEL, join(wheels, 'tiny_dep-1.0-py3-none-any.whl')]);
  world.commit({
    'requirements.txt': 'tiny-dep==1.0\n',
    ...PYTHON,
  });
  await fromInitToLand(
    world,
    [
      { files: { 'greet.py': 'def greet(name):\n    return name\n' } },
      { files: { 'greet.py': 'from tiny_dep import polite\n\ndef greet(name):\n    return polite(name)\n' } },
    ],
    {
      command: /^\/env\/venv\/bin\/python -m unittest discover/,
      failure: /'Ada' != 'dear Ada'/,
      success: /Ran 1 test[\s\S]*OK/,
    },
    { PIP_FIND_LINKS: wheels },
  );
});
