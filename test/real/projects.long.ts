/** A Python project with requirements: its virtual environment is prepared by pip. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { World } from '../support/cli.ts';
import { writeWheel } from '../support/wheel.ts';
import { fromInitToLand } from './from-init-to-land.ts';
import { PYTHON } from './python.ts';

test('Python: a virtual environment from requirements.txt, `unittest`', async () => {
  using world = new World();
  const wheels = join(world.dir, 'wheels');
  mkdirSync(wheels, { mode: 0o755 });
  writeWheel(wheels, 'def polite(text):\n    return "dear " + text\n');
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
