/** The smallest Python package there is, as a wheel, written by Python itself. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const PROGRAM = `
import sys, zipfile
path, module, entry = sys.argv[1:]
info = 'tiny_dep-1.0.dist-info'
files = {
    'tiny_dep.py': module,
    info + '/METADATA': 'Metadata-Version: 2.1\\nName: tiny-dep\\nVersion: 1.0\\n',
    info + '/WHEEL': 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n',
}
if entry:
    files[info + '/entry_points.txt'] = '[console_scripts]\\n' + entry + '\\n'
files[info + '/RECORD'] = ''.join(f'{name},,\\n' for name in [*files, info + '/RECORD'])
with zipfile.ZipFile(path, 'w') as wheel:
    for name, text in files.items():
        wheel.writestr(name, text)
`;

/** `tiny-dep` 1.0 with one module; `entry` is a program it installs, such as `tiny = tiny_dep:main`. */
export function writeWheel(dir: string, module: string, entry = ''): void {
  execFileSync('python3', ['-c', PROGRAM, join(dir, 'tiny_dep-1.0-py3-none-any.whl'), module, entry]);
}
