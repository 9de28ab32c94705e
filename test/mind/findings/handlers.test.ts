/** What becomes of an error where it is caught, before a change and after it. */
import { describe, expect, test } from 'vitest';
import { handlersIn } from '../../../src/mind/findings/handlers.ts';
import { file, findings, rules } from './ask.ts';

const TASK = 'Make loading faster';
const SCRIPT = 'export async function load(path) {\n  const rows = parse(await read(path));\n  return rows;\n}\n';
const guarded = (handler: string) =>
  `export async function load(path) {\n  let rows;\n  try {\n    rows = parse(await read(path));\n  } catch (error) {\n    ${handler}\n  }\n  return rows;\n}\n`;

test.each([
  ['javascript', 'try {\n  f();\n} catch {\n}\n', 'nothing'],
  ['javascript', 'try {\n  f();\n} catch (e) {\n  console.warn(e);\n}\n', 'logs'],
  ['javascript', 'try {\n  f();\n} catch {\n  return new Map();\n}\n', 'constant'],
  ['javascript', 'try {\n  f();\n} catch (e) {\n  if (e.code !== 1) throw e;\n  return [];\n}\n', 'passes'],
  ['javascript', 'try {\n  f();\n} catch {\n  rows = again();\n}\n', 'other'],
  ['javascript', 'f().catch(() => []);\n', 'constant'],
  ['javascript', 'f().catch((e) => {\n  report(e);\n});\n', 'passes'],
  ['javascript', 'f().catch(function (e) {\n  log.error(e);\n});\n', 'logs'],
  [
    'python',
    'try:\n    f()\nexcept ValueError as e:\n    logging.warning(\n        "no",\n        e,\n    )\n',
    'logs',
  ],
  ['python', 'try:\n    f()\nexcept Exception:\n    return None\n', 'constant'],
  ['python', 'try:\n    f()\nexcept OSError:\n    clean()\n    raise\n', 'passes'],
  ['python', 'try:\n    f()\nexcept OSError:\n    clean()\n', 'other'],
  ['go', 'if err != nil {\n\treturn nil\n}\n', 'constant'],
  ['go', 'if err := f(); err != nil {\n\treturn err\n}\n', 'passes'],
  ['go', 'if err != nil {\n\tlog.Println(err)\n}\n', 'logs'],
  ['java', 'try {\n  f();\n} catch (IOException e) {\n  e.printStackTrace();\n}\n', 'logs'],
] as const)('a handler of %s: %j %s', (language, code, does) => {
  expect(handlersIn(language, code).map((one) => one.does)).toEqual([does]);
});

test('a function that is handed over as a handler is not looked into', () => {
  expect(handlersIn('javascript', 'f().catch(reject);\n')).toEqual([]);
});

describe('an error that was passed on before', () => {
  const of = (before: string, after: string, path = 'src/a.js', task = TASK) =>
    rules([file(path, before, after)], { task });

  test('blocks where it is only printed now, or a fixed value takes its place', () => {
    expect(of(SCRIPT, guarded('console.error(error);'))).toEqual(['!error-swallowed']);
    expect(of(SCRIPT, guarded('return [];'))).toEqual(['!error-swallowed']);
    expect(of(SCRIPT, SCRIPT.replace('await read(path)', 'await read(path).catch(() => ({}))'))).toEqual([
      'error-swallowed',
    ]);
    const call = 'const ledger = await load(path);\n';
    expect(of(call, call.replace('(path)', '(path).catch(() => ({ rows: [] }))'))).toEqual(['!error-swallowed']);
    expect(of(guarded('throw error;'), guarded('return undefined;'))).toEqual(['!error-swallowed']);
    const python =
      'def save(path):\n    try:\n        put(path)\n    except BaseException:\n        clear(path)\n        raise\n';
    expect(of(python, python.replace('        raise\n', ''), 'a.py')).toEqual(['!error-swallowed']);
    const go = 'func f() error {\n\tif err := g(); err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n';
    expect(of(go, go.replace('return err', 'fmt.Println(err)'), 'a.go')).toEqual(['!error-swallowed']);
  });

  test('does not block where the handler looks at it, or the task asks for it', () => {
    expect(of(SCRIPT, guarded("if (error.code !== 'ENOENT') throw error;"))).toEqual([]);
    expect(of(SCRIPT, guarded('rows = fallback(error);'))).toEqual([]);
    expect(of(SCRIPT, guarded('return [];'), 'src/a.js', 'Fall back to an empty list')).toEqual([]);
    const probe = 'try:\n    import fast\n    f(fast)\nexcept ImportError:\n    fast = None\n';
    expect(of('import fast\nf(fast)\n', probe, 'a.py')).toEqual([]);
  });

  test('in new code a fixed value for any error is a hint', () => {
    const found = findings([file('src/b.js', null, 'try {\n  f();\n} catch {\n  return null;\n}\n')], { task: TASK });
    expect(found.map(({ rule, severity, blocks }) => [rule, severity, blocks])).toEqual([
      ['error-swallowed', 'low', false],
    ]);
  });
});
