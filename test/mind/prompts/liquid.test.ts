/** UI-15: a template is a stranger's program. What it could do with Liquid as it comes, and what it can do here. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Liquid, type LiquidOptions } from 'liquidjs';
import { describe, expect, test } from 'vitest';
import { said } from '../../../src/mind/prompts/foreign-text.ts';
import { MAX_OUTPUT, MAX_TEMPLATE, renderTemplate, templateProblems } from '../../../src/mind/prompts/liquid.ts';
import { TemplateError } from '../../../src/mind/prompts/template-error.ts';

const VARIABLES = {
  name: 'implementer',
  nothing: null,
  count: 3,
  role: { name: 'implementer', config: { limit: 5 } },
  numbers: Array.from({ length: 300 }, (_, index) => index),
  task: { text: said('task', 'first\nsecond'), files: [said('files', 'a.ts'), said('files', 'b.ts')] },
};

const render = (main: string, others: Readonly<Record<string, string>> = {}): string =>
  renderTemplate(new Map(Object.entries({ ...others, main })), 'main', VARIABLES, 'seed');

function refusal(main: string, others: Readonly<Record<string, string>> = {}): string {
  try {
    return `rendered: ${render(main, others).slice(0, 200)}`;
  } catch (error) {
    expect(error).toBeInstanceOf(TemplateError);
    return (error as Error).message;
  }
}

/** As it comes. */
const bare = (text: string, options: LiquidOptions = {}, more: object = {}): string =>
  new Liquid(options).parseAndRenderSync(text, { ...VARIABLES, ...more });

describe('code', () => {
  test.each([
    '{{constructor.constructor("return process.env")()}}',
    '{{range.constructor("return 1")()}}',
    '{{ "x".repeat(1e9) }}',
  ])('is not Liquid, and is refused with its line: %s', (attack) => {
    expect(refusal(`fine\n${attack}`)).toMatch(/^main\.liquid:2: /);
  });

  test.each([
    'constructor',
    '__proto__',
    'toString',
    'role.constructor',
    'role.__proto__',
    'role["constructor"]',
    'role.hasOwnProperty',
    'numbers.constructor',
    'numbers.map',
    'name.constructor',
    'name.repeat',
    'count.toFixed',
    'task.text.constructor',
    'task.text.text',
    'task.text.toString',
    'task.text.valueOf',
    'task.text[0]',
    'task.text.label',
    'task.text.__proto__',
  ])('behind a value there is nothing: %s', (path) => {
    expect(refusal(`{{ ${path} }}`)).toMatch(/^main\.liquid:1: there is no variable /);
    expect(refusal(`{% if ${path} %}yes{% endif %}`)).toMatch(/^main\.liquid:1: there is no variable /);
  });

  test('control: with prototypes it would reach them', () => {
    const options = { ownPropertyOnly: false };
    expect(bare('{{ name.toUpperCase }}{{ role.toString }}', options)).toBe('IMPLEMENTER[object Object]');
    expect(refusal('{{ name.toUpperCase }}')).toContain('there is no variable');
  });

  test('a prototype cannot be put in place of a variable either', () => {
    expect(render('{% assign __proto__ = role %}{% assign toString = count %}{{ toString }}')).toBe('3');
    expect(refusal('{% render "part", __proto__: role %}', { part: '{{ limit }}' })).toContain(
      'there is no variable limit',
    );
    expect(({} as Record<string, unknown>)['name']).toBeUndefined();
  });
});

describe('files', () => {
  test.each(['include', 'render', 'layout'])('%s knows the names of templates and nothing else', (tag) => {
    for (const name of [
      '/etc/passwd',
      '../main',
      './main',
      'file:///etc/passwd',
      'constructor',
      '__proto__',
      'nope',
      '',
    ])
      expect(refusal(`one\n{% ${tag} "${name}" %}`, { part: '' })).toMatch(
        /^main\.liquid:2: (?:there is no template .*\(there are: main, part\)|.* in quotes and nothing else)/,
      );
  });

  test('control: as it comes it reads files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'liquid-'));
    try {
      writeFileSync(join(folder, 'secret.txt'), 'the secret');
      expect(bare(`{% include "${folder}/secret.txt" %}`, { root: '/' })).toBe('the secret');
      expect(refusal(`{% include "${folder}/secret.txt" %}`)).toContain('there is no template');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test.each(['{% include name %}', '{% include "{{ name }}" %}', '{% include task.text %}', '{% layout none %}'])(
    'the choice of a template never depends on data: %s',
    (attack) => {
      expect(bare('{% include name %}', { templates: { implementer: 'chosen by data' } })).toBe('chosen by data');
      expect(refusal(attack, { implementer: 'chosen by data' })).toContain('in quotes and nothing else');
    },
  );

  test('a name may have the ending of its file', () => {
    expect(render('{% include "part.liquid" %}', { part: 'here' })).toBe('here');
  });

  test('a circle is reported with its way round', () => {
    expect(refusal('{% include "main" %}')).toBe('main.liquid: goes in a circle: main > main');
    expect(refusal('{% layout "a" %}', { a: '{% include "b" %}', b: '{% render "main" %}' })).toBe(
      'main.liquid: goes in a circle: main > a > b > main',
    );
  });
});

describe('too much', () => {
  const TOO_MUCH = 'is more work than one packet may be';
  test.each([
    ['a loop of a billion', '{% for i in (1..1000000000) %}x{% endfor %}'],
    ['a loop that writes a lot', '{% for i in (1..200000) %}xxxxxxxxxxxxxxxx{% endfor %}'],
    [
      'loops in loops that write nothing',
      '{% for i in numbers %}{% for j in numbers %}{% for k in numbers %}{% endfor %}{% endfor %}{% endfor %}',
    ],
    [
      'text that doubles',
      '{% assign a = "xxxxxxxx" %}{% for i in numbers %}{% capture a %}{{ a }}{{ a }}{% endcapture %}{% endfor %}',
    ],
    [
      'lists that are joined',
      '{% for i in (1..3000) %}{% assign a = numbers | join: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" %}{% endfor %}',
    ],
  ])('%s is stopped', (_what, attack) => {
    expect(refusal(attack)).toContain(TOO_MUCH);
  });

  test('templates that include the next one twice, forty deep', () => {
    const parts = Object.fromEntries(
      Array.from({ length: 40 }, (_, level) => [
        `p${level}`,
        `{% include "p${level + 1}" %}{% include "p${level + 1}" %}`,
      ]),
    );
    expect(refusal('{% include "p0" %}', { ...parts, p40: 'x' })).toContain(TOO_MUCH);
  });

  test('a web of templates is looked at once each', () => {
    const pair = (level: number) =>
      `{% if nothing %}{% include "a${level + 1}" %}{% include "b${level + 1}" %}{% endif %}`;
    const web = Object.fromEntries(
      Array.from({ length: 40 }, (_, level) => [
        [`a${level}`, pair(level)],
        [`b${level}`, pair(level)],
      ]).flat(),
    );
    expect(render('{% include "a0" %}done', { ...web, a40: '', b40: '' })).toBe('done');
  });

  test('control: as it comes it does all of that', () => {
    expect(bare('{% for i in (1..200000) %}xxxxxxxxxxxxxxxx{% endfor %}')).toHaveLength(3_200_000);
    const doubling =
      '{% assign a = "xxxxxxxx" %}{% for i in (1..20) %}{% assign a = a | append: a %}{% endfor %}{{ a | size }}';
    expect(bare(doubling)).toBe(`${8 << 20}`);
  });

  test('the stop is always at the same place', () => {
    const counted = '{% for i in numbers %}{% for j in numbers %}{{ j }}{% endfor %}{% endfor %}';
    expect(new Set(Array.from({ length: 3 }, () => refusal(counted))).size).toBe(1);
  });

  test('a template of great size or depth is refused', () => {
    expect(refusal('x'.repeat(MAX_TEMPLATE + 1))).toContain(`at most ${MAX_TEMPLATE}`);
    expect(refusal(`${'{% if true %}'.repeat(4000)}${'{% endif %}'.repeat(4000)}`)).toContain('nested too deeply');
    const half = 'x'.repeat(MAX_OUTPUT / 2 + 1);
    expect(() => renderTemplate(new Map([['main', '{{ half }}{{ half }}']]), 'main', { half }, '')).toThrow(
      `at most ${MAX_OUTPUT}`,
    );
    expect(renderTemplate(new Map([['main', '{{ half }}']]), 'main', { half }, '')).toHaveLength(half.length);
  });
});

test.each(['echo name', 'liquid assign a = 1', 'increment count', 'cycle "a"', 'tablerow i in numbers'])(
  'tags that are not needed are not there: %s',
  (tag) => {
    expect(refusal(`{% ${tag} %}`)).toMatch(/^main\.liquid:1: there is no tag .*\(there are: include, layout, /);
  },
);

test.each([
  'append: name',
  'replace: "i", "xx"',
  'slice: 0',
  'split: ""',
  'date',
  'json',
  'times: 9',
  'truncate: 5',
  'raw',
])('filters that make much of little, cut quotes or know the time are not there: %s', (filter) => {
  expect(refusal(`{{ name | ${filter} }}`)).toMatch(/^main\.liquid:1: there is no filter .*\(there are: bullets, /);
});

test('data with template syntax is put in and never read as a template', () => {
  const attack = '{{ role.name }}{% include "/etc/passwd" %}{% for i in (1..3) %}x{% endfor %}{{ nope }}';
  const templates = new Map([['main', '{{ text }}|{{ other }}|{{ other | truncate_lines: 5 | quote: "x" }}']]);
  const text = renderTemplate(templates, 'main', { text: attack, other: said('task', attack) }, 'seed');
  expect(text.split(attack)).toHaveLength(4);
  // Control: the same words as a template do something.
  expect(render('{{ role.name }}{% for i in (1..3) %}x{% endfor %}')).toBe('implementerxxx');
  expect(refusal(attack)).toContain('there is no template "/etc/passwd"');
});

test('mistakes are reported with template, line and the known names', () => {
  expect(refusal('{% include "part" %}', { part: 'one\n\n{{ role.nme }}' })).toMatch(
    /^part\.liquid:3: there is no variable role\.nme/,
  );
  expect(refusal('{{ role }}')).toBe('main.liquid:1: a value with fields is not text: name one of its fields');
  expect(refusal('{{ numbers }}')).toContain('a list is not text');
  expect(refusal('{{ name | quote: 5 }}')).toContain('takes a label');
  expect(refusal('{{ name | truncate_lines: "x" }}')).toContain('takes a number of lines');
  expect(refusal('{{ nothing | quote }}')).toContain('takes text');
  expect(refusal('{% if name %}\nnever closed')).toMatch(/^main\.liquid:1: .*not closed/);
});

test('all are looked at beforehand, in every branch', () => {
  const templates = new Map([
    [
      'good',
      '{% if nothing %}{{ role.name }}{{ role.config.limit }}{% endif %}{% for one in task.files %}{{ forloop.index }}{{ one }}{% endfor %}',
    ],
    ['misspelt', 'one\n{% if nothing %}\n{{ role.nmae }}\n{% endif %}\n{{ rolle }}'],
    ['lost', '{% include "gone" %}'],
    ['broken', '\n{% for %}{% endfor %}'],
    ['uses', '{% include "broken" %}'],
  ]);
  expect(
    [...templateProblems(templates, VARIABLES)].map(({ template, line, message }) => [template, line, message]),
  ).toEqual([
    ['misspelt', 3, 'there is no variable role.nmae; did you mean role.name?'],
    ['misspelt', 5, 'there is no variable rolle; did you mean role?'],
    ['lost', 1, expect.stringContaining('there is no template "gone"')],
    ['broken', 2, expect.any(String)],
    // As a part of the one that uses it; `checkTemplates` tells it once.
    ['broken', 2, expect.any(String)],
  ]);
});

test('a line that holds a tag only leaves no line, and other blanks stay', () => {
  expect(render('a {% if count == 3 %}b{% endif %} c\n  {% if name %}\nd\n{% endif %}\n{% # why %}\n\ne')).toBe(
    'a b c\nd\n\ne',
  );
});
