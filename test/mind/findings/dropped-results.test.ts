/** Rust and Go: an error that the base handled and the change drops blocks; the same form in new code does not. */
import { describe, expect, test } from 'vitest';
import { file, rules } from './ask.ts';

const TASK = 'Read the limit from the settings too';
const DROPPED = '!error-swallowed';
const body = (language: 'rust' | 'go', text: string) =>
  language === 'rust'
    ? `use std::fs;\n\nfn load(path: &Path) -> Result<Settings> {\n${text}\n}\n`
    : `package a\n\nfunc Load(path string) (Settings, error) {\n${text}\n}\n`;
const found = (language: 'rust' | 'go', before: string, after: string, task = TASK) => {
  const path = language === 'rust' ? 'src/load.rs' : 'load.go';
  return rules([file(path, body(language, before), body(language, after))], { task });
};

const RUST: readonly (readonly [string, string, string])[] = [
  [
    'unwrap_or_default',
    '    let text = fs::read_to_string(path)?;',
    '    let text = fs::read_to_string(path).unwrap_or_default();',
  ],
  ['unwrap_or', '    let n = text.trim().parse::<u32>()?;', '    let n: u32 = text.trim().parse().unwrap_or(0);'],
  [
    'unwrap_or_else that looks at nothing',
    '    let a = open(path)?;',
    '    let a = open(path).unwrap_or_else(|_| Settings::new());',
  ],
  ['ok', '    fs::remove_file(&path)?;', '    fs::remove_file(&path).ok();'],
  ['let _', '    file.sync_all()?;', '    let _ = file.sync_all();'],
  ['let _ after an adaptor', '    save(&a).map_err(|e| Error::Save(e))?;', '    let _ = save(&a);'],
  [
    'if let Ok',
    '    let a = open(path)?;\n    use_it(a);',
    '    if let Ok(a) = open(path) {\n        use_it(a);\n    }',
  ],
  [
    'a chain over lines',
    '    let a = client\n        .get(url)\n        .send()\n        .await?;',
    '    let a = client\n        .get(url)\n        .send()\n        .await\n        .unwrap_or_default();',
  ],
  [
    'a match whose arm told of the error',
    '    let a = match open(path) {\n        Ok(a) => a,\n        Err(e) => return Err(e.into()),\n    };',
    '    let a = open(path).unwrap_or_default();',
  ],
  [
    'items of an iterator',
    '    for line in file.lines() {\n        let line = line?;\n        push(line);\n    }',
    '    for line in file.lines().flatten() {\n        push(line);\n    }',
  ],
];
const GO: readonly (readonly [string, string, string])[] = [
  [
    'a blank for the error',
    '\ttext, err := os.ReadFile(path)\n\tif err != nil {\n\t\treturn none, err\n\t}',
    '\ttext, _ := os.ReadFile(path)',
  ],
  ['a blank alone', '\tif err := save(path); err != nil {\n\t\treturn none, err\n\t}', '\t_ = save(path)'],
  ['a call alone', '\tif err := check(path, 1); err != nil {\n\t\treturn none, err\n\t}', '\tcheck(path, 1)'],
  [
    'a call over lines',
    '\ta, err := open(\n\t\tpath,\n\t)\n\tif err != nil {\n\t\treturn none, err\n\t}',
    '\ta, _ := open(\n\t\tpath,\n\t)',
  ],
  [
    'a call whose error was returned',
    '\treturn none, nil\n}\n\nfunc b() error {\n\treturn flush(w)',
    '\treturn none, nil\n}\n\nfunc b() error {\n\tflush(w)\n\treturn nil',
  ],
  [
    'a name that nobody looks at',
    '\ta, err := open(path)\n\tif err != nil {\n\t\treturn none, err\n\t}',
    '\ta, err := open(path)\n\t_ = err',
  ],
];

describe('an error that was handled before is dropped', () => {
  test.each(RUST)('Rust: %s', (_, before, after) => {
    expect(found('rust', before, after)).toContain(DROPPED);
    // The control: the task asks for it, or the code is new.
    expect(found('rust', before, after, 'Ignore errors of the settings')).not.toContain(DROPPED);
    expect(found('rust', '', after)).not.toContain(DROPPED);
    expect(found('rust', before, `${before}\n${after}`)).not.toContain(DROPPED);
  });
  test.each(GO)('Go: %s', (_, before, after) => {
    expect(found('go', before, after)).toContain(DROPPED);
    expect(found('go', before, after, 'Ignore errors of the settings')).not.toContain(DROPPED);
    expect(found('go', '', after)).not.toContain(DROPPED);
  });
});

describe('idiomatic code is left alone', () => {
  test.each([
    ['an option', '    let a = map.get(&key)?;', '    let a = map.get(&key).unwrap_or(&0);'],
    ['an option that is a name', '    let a = limit?;', '    let a = limit.unwrap_or(9);'],
    ['a panic less', '    let a = text.parse::<u32>().unwrap();', '    let a = text.parse::<u32>().unwrap_or(0);'],
    ['an option of a result', '    let a = open(path)?;', '    let a = open(path).ok().ok_or(Error::None)?;'],
    [
      'an else that tells',
      '    let a = open(path)?;',
      '    let a = if let Ok(a) = open(path) {\n        a\n    } else {\n        return Err(Error::None);\n    };',
    ],
    [
      'an error that is looked at',
      '    let a = open(path)?;',
      '    let a = open(path).unwrap_or_else(|error| fallback(error));',
    ],
    ['another call', '    let a = open(path)?;', '    let a = open(path)?;\n    let _ = tx.send(a);'],
    ['nested options', '    let a = list?;', '    let a: Vec<_> = list.into_iter().flatten().collect();'],
  ])('Rust: %s', (_, before, after) => {
    expect(found('rust', before, after)).not.toContain(DROPPED);
  });
  test('Rust: a question mark in a function that gives an option', () => {
    const text = (end: string) => `fn a(b: &B) -> Option<u32> {\n    let c = b.lookup(1)${end};\n    Some(c)\n}\n`;
    expect(rules([file('src/a.rs', text('?'), text('.unwrap_or(7)'))], { task: TASK })).not.toContain(DROPPED);
  });
  test.each([
    [
      'a type assertion',
      '\ta, err := open(path)\n\tif err != nil {\n\t\treturn none, err\n\t}',
      '\ta, err := open(path)\n\tif err != nil {\n\t\treturn none, err\n\t}\n\tb, _ := a.(*File)',
    ],
    [
      'a value of a map',
      '\ta, err := open(path)\n\treturn a, err',
      '\ta, err := open(path)\n\tb, _ := names[path]\n\treturn b, err',
    ],
    [
      'the error under another name',
      '\ta, err := open(path)\n\treturn a, err',
      '\ta, errOpen := open(path)\n\treturn a, errOpen',
    ],
    [
      'the error given back at once',
      '\terr := save(path)\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn nil',
      '\treturn save(path)',
    ],
    [
      'a handler that tells',
      '\tif err := save(path); err != nil {\n\t\treturn none, err\n\t}',
      '\tif err := save(path); err != nil {\n\t\treturn none, fmt.Errorf("save: %w", err)\n\t}',
    ],
    ['a deferred close', '\tif err := file.Close(); err != nil {\n\t\treturn none, err\n\t}', '\tdefer file.Close()'],
    [
      'a function that has no error any more',
      '\tinit, err := setUp()\n\tif err != nil {\n\t\treturn none, err\n\t}',
      '\tinit := setUp()',
    ],
  ])('Go: %s', (_, before, after) => {
    expect(found('go', before, after)).not.toContain(DROPPED);
  });
});
