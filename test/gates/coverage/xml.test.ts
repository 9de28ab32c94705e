/** The XML walker: tokens of what is well-formed, one problem for everything else. */
import { describe, expect, test } from 'vitest';
import { xmlTokens } from '../../../src/mind/gates/coverage/xml.ts';

/** Tokens in short: `<a b="c">`, `</a>`, text, and `!` for a problem. */
const shown = (text: string): string[] =>
  [...xmlTokens(text)].map((token) => {
    if (token.type === 'problem') return '!';
    if (token.type === 'text') return token.text;
    if (token.type === 'close') return `</${token.name}>`;
    return `<${[token.name, ...[...token.attributes].map(([key, value]) => `${key}="${value}"`)].join(' ')}>`;
  });

describe('well-formed', () => {
  test.each([
    ['<a/>', ['<a>', '</a>']],
    ['<a></a >', ['<a>', '</a>']],
    ['\ufeff<?xml version="1.0"?>\n<!-- <b> -->\n<a/>\n<!-- end -->', ['<a>', '</a>']],
    ['<a b="1" c=\'2"\' d = "x>y"/>', ['<a b="1" c="2"" d="x>y">', '</a>']],
    ['<a\n\tb="1"\n/>', ['<a b="1">', '</a>']],
    ['<ns:a-1.b _c:d=""/>', ['<ns:a-1.b _c:d="">', '</ns:a-1.b>']],
    ['<a b="&lt;&amp;&#65;&#x1F600;">&gt;&quot;&apos;</a>', ['<a b="<&A😀">', '>"\'', '</a>']],
    ['<a><![CDATA[<b>&x;]]></a>', ['<a>', '<b>&x;', '</a>']],
    ['<a>x<b/>y</a>', ['<a>', 'x', '<b>', '</b>', 'y', '</a>']],
    ['<!DOCTYPE a><a/>', ['<a>', '</a>']],
    ['<!DOCTYPE a SYSTEM "http://example.com/a.dtd"><a/>', ['<a>', '</a>']],
    ['<!DOCTYPE a PUBLIC "-//A//B" "a.dtd" ><a/>', ['<a>', '</a>']],
  ])('%s', (text, tokens) => {
    expect(shown(text)).toEqual(tokens);
  });
});

describe('not well-formed', () => {
  test.each([
    '',
    'text',
    '<a>',
    '<a',
    '<a b',
    '<a b=',
    '<a b="',
    '<a b="1"c="2"/>',
    '<a b=1/>',
    '<a b="1" b="2"/>',
    '<a b="<"/>',
    '<a/',
    '<a / >',
    '<a></b>',
    '<a></a b="1">',
    '</a>',
    '<a/><b/>',
    '<a/>text',
    'text<a/>',
    '<1/>',
    '< a/>',
    '<a>&b;</a>',
    '<a>&amp</a>',
    '<a>&#0;</a>',
    '<a>&#x110000;</a>',
    '<a>&</a>',
    '<a b="&b;"/>',
    '<!-- <a/>',
    '<a><![CDATA[</a>',
    '<?xml <a/>',
    '<!DOCTYPE a [<!ENTITY b "c">]><a/>',
    '<!DOCTYPE a SYSTEM "a.dtd" [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
    '<!ENTITY b "c"><a/>',
    '<a><!DOCTYPE a></a>',
    `<a ${'x'.repeat(300)}="1"/>`,
    `<a ${Array.from({ length: 65 }, (_, index) => `b${index}="1"`).join(' ')}/>`,
    '<a>'.repeat(65) + '</a>'.repeat(65),
  ])('%s', (text) => {
    const tokens = shown(text);
    expect(tokens.at(-1)).toBe('!');
    expect(tokens.filter((token) => token === '!')).toHaveLength(1);
  });
});
