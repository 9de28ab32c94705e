import { describe, expect, test } from 'vitest';
import { importsIn } from '../../../src/mind/code/imports.ts';

type Sample = readonly [what: string, path: string, text: string, found: readonly string[]];

const SAMPLES: readonly Sample[] = [
  ['static, default and named', 'a.ts', 'import a, { b as c } from \'./b\';\nimport * as d from "d";', ['./b', 'd']],
  ['over several lines', 'a.ts', "import {\n  one, // 'no'\n  two,\n} from './two.ts';", ['./two.ts']],
  ['for its effects', 'a.js', "import './style.css'; import'./tight.js'", ['./style.css', './tight.js']],
  [
    'types alone',
    'a.ts',
    "import type { T } from './t';\nexport type { U } from './u';\ntype A = import('./v').V;",
    ['./t', './u', './v'],
  ],
  [
    're-exports',
    'a.ts',
    "export * from './a';\nexport * as b from './b';\nexport { c } from './c'",
    ['./a', './b', './c'],
  ],
  ['dynamic', 'a.ts', "const a = await import(/* chunk */ './a');\nimport(`./b`);", ['./a', './b']],
  [
    'require',
    'a.cjs',
    "const a = require('./a');\nimport b = require('./b');\n[...require('./c')];",
    ['./a', './b', './c'],
  ],
  [
    'in a template',
    'a.ts',
    `const a = \`import no from 'no' \${require('./yes')} \${\`\${import('./deep')}\`}\`;`,
    ['./yes', './deep'],
  ],
  ['with attributes', 'a.ts', "import a from './a.json' with { type: 'json' };", ['./a.json']],
  ['no comment', 'a.ts', "// import a from 'no'\n/* export * from 'no' */\nimport './yes';", ['./yes']],
  ['no string', 'a.ts', 'const a = "import b from \'no\'"; import "./yes";', ['./yes']],
  ['no regular expression', 'a.ts', "const a = /[/'\"`]/.test(b); import './yes'; const c = d / 2; // '", ['./yes']],
  ['no member of that name', 'a.ts', "vm.import('no'); a.require('no'); $import('no'); this.#require('no');", []],
  ['nothing computed', 'a.ts', `import('./a' + b); require(c); import(\`./\${d}\`); require('e' + f);`, []],
  ['no list of exports without a source', 'a.ts', "export { a };\nconst from = 'no';", []],
  ['after an apostrophe of JSX', 'a.tsx', "const a = <p>Don't</p>;\nconst b = () => import('./b');", ['./b']],
  ['after a closing tag', 'a.tsx', "const a = <a href='x' /></a>; const b = require('./b');", ['./b']],
  [
    'the script of a component',
    'a.vue',
    "<template>import a from 'no'</template>\n<script setup>\nimport './yes'\n</script>",
    ['./yes'],
  ],
  ['the head of a page', 'a.astro', "---\nimport A from './A.astro';\n---\n<p>import 'no'</p>", ['./A.astro']],

  ['modules', 'a.py', 'import os, a.b as c\nimport d', ['os', 'a.b', 'd']],
  ['names, which may be modules', 'a.py', 'from a.b import c, d as e', ['a.b', 'a.b.c', 'a.b.d']],
  ['relative', 'a.py', 'from . import x\nfrom .. import y\nfrom .m import n', ['.', '.x', '..', '..y', '.m', '.m.n']],
  ['in brackets', 'a.py', 'from a import (\n    b,  # no\n    c as d,\n)', ['a', 'a.b', 'a.c']],
  ['continued', 'a.py', 'from a import b, \\\n    c', ['a', 'a.b', 'a.c']],
  ['all of it', 'a.py', 'from a import *', ['a']],
  ['behind a colon or semicolon', 'a.py', 'if a: import b\nimport c; import d', ['b', 'c', 'd']],
  ['no doc string', 'a.py', '"""\nimport no\nfrom no import no\n"""\nimport yes  # import no', ['yes']],
  ['no `yield from`', 'a.py', 'def a():\n    yield from b\n    raise C from d', []],

  ['one', 'a.go', 'package a\n\nimport "fmt"\nimport x "a/b"\n', ['fmt', 'a/b']],
  [
    'a block',
    'a.go',
    'package a\nimport (\n\t"c/d"\n\t_ "e" // "no"\n\t. "f"\n\t/* "no" */ y `g`\n)\nfunc a() {}',
    ['c/d', 'e', 'f', 'g'],
  ],
  ['no string below', 'a.go', 'package a\nimport "b"\nvar c = "import"\nconst d = `\nimport "no"\n`', ['b']],
  ['a declaration in a comment', 'a.go', 'package a\n/*\nfunc no() {}\n*/\nimport "b"\nfunc c() {}', ['b']],

  ['modules of files', 'a.rs', 'mod a;\npub mod b;\n#[path = "x/y.rs"]\nmod c;', ['self::a', 'self::b', './x/y.rs']],
  [
    'trees',
    'a.rs',
    'use crate::a::{self, b as c, d::{e, f::*}};',
    ['crate::a', 'crate::a::b', 'crate::a::d::e', 'crate::a::d::f'],
  ],
  ['others', 'a.rs', 'pub(crate) use super::a::B;\nextern crate c;\nuse ::d::e;', ['super::a::B', 'c', 'd::e']],
  [
    'from a module inside',
    'a.rs',
    'mod tests { use super::*; use super::super::a; use self::b; }',
    ['self', 'super::a', 'self::tests::b'],
  ],
  [
    'no text',
    'a.rs',
    'let a: &\'static str = "use no;"; let b = \'"\'; /* /* */ use no; */ use c; let d = r#"" use no; "#;',
    ['c'],
  ],

  ['classes', 'A.java', 'package a;\nimport java.util.List;\nimport b.C;\nclass A {}', ['java.util.List', 'b.C']],
  ['members and packages', 'A.java', 'import static a.B.c;\nimport a.b.*;', ['a.B.c', 'a.b.*']],
  [
    'no comment',
    'A.java',
    '/* import no.No; */\n// import no.No;\nimport a.A; class B { String c = "import no.No;"; }',
    ['a.A'],
  ],

  ['nothing of what is not known', 'a.rb', "require 'a'", []],
];

describe('importsIn', () => {
  test.each(SAMPLES)('finds %s (%s)', (_what, path, text, found) => {
    expect(importsIn(path, text)).toEqual(found);
  });

  test('names each once, in order', () => {
    expect(importsIn('a.ts', "import 'b';\nimport 'a';\nimport 'b';")).toEqual(['b', 'a']);
  });
});
