import { describe, expect, test } from 'vitest';
import { diffView, pathsIn, remarksIn } from '../../../src/mind/page/diff-view.ts';
import { html } from '../../../src/mind/page/html.ts';

const DIFF = `diff --git a/src/a.ts b/src/a.ts
index 111..222 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,3 @@
 one
-two <script>
+three & "four"
 five
`;

describe('a page', () => {
  test('shows every value as text, whatever it holds', () => {
    const bad = '<script>alert(1)</script>&"\'\u202e\u{e0041}';
    const { text } = html`<p title="${bad}">${bad}</p>`;
    expect(text).not.toMatch(/<script|\u202e|\u{e0041}/u);
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&#39;');
    expect(html`${html`<b>${'<i>'}</b>`}`.text).toBe('<b>&lt;i&gt;</b>');
  });

  test('numbers the lines of both sides of a diff, and puts what a check said below its line', () => {
    const said = remarksIn('types', 'src/a.ts(2,5): error TS1: no such name\nother.ts:2: no\n', ['src/a.ts']);
    expect(said).toEqual([{ path: 'src/a.ts', line: 2, by: 'types', text: 'src/a.ts(2,5): error TS1: no such name' }]);
    const nested = remarksIn('types', '/workspace/src/index.ts:2: no\n', ['index.ts', 'src/index.ts']);
    expect(nested).toMatchObject([{ path: 'src/index.ts', line: 2 }]);
    expect(
      remarksIn('types', '/workspace/src/a.ts:2: no\nsrc/data.ts:2: no\nb/src/aa.ts:1\n', ['src/a.ts', 'ta.ts']),
    ).toMatchObject([{ path: 'src/a.ts' }]);
    const { text } = diffView(DIFF, said);
    expect(text).toContain('<td>2</td><td></td><td><code>-two &lt;script&gt;</code></td>');
    const added = text.indexOf('<td></td><td>2</td><td><code>+three &amp; &quot;four&quot;</code></td>');
    expect(text.indexOf('<b>types</b> src/a.ts(2,5): error TS1')).toBeGreaterThan(added);
    expect(added).toBeGreaterThan(0);
    expect(text.match(/class="remark"/g)).toHaveLength(1);
  });

  test('a diff of many files, binary ones among them, is cut into its files', () => {
    const binary = 'diff --git a/b.png b/b.png\nindex 1..2 100644\nBinary files a/b.png and b/b.png differ\n';
    const { text } = diffView(DIFF + binary, []);
    expect(text.match(/<section class="file">/g)).toHaveLength(2);
    expect(text).toContain('Binary files a/b.png and b/b.png differ');
  });

  test('names files as people write them, and says what happened to a file without lines', () => {
    const umlaut = 'diff --git "a/a b/\\303\\274.txt" "b/a b/\\303\\274.txt"\nnew file mode 100644\nindex 000..111\n';
    const spaced =
      'diff --git a/a b.ts b/a b.ts\nindex 1..2 100644\n--- a/a b.ts\t\n+++ b/a b.ts\t\n@@ -1 +1 @@\n-x\n+y\n';
    expect(pathsIn(umlaut + spaced)).toEqual(['a b/ü.txt', 'a b.ts']);
    const { text } = diffView(umlaut + spaced, [{ path: 'a b.ts', line: 1, by: 'lint', text: 'no' }]);
    expect(text).toContain(
      '<h3><code>a b/ü.txt</code></h3><table class="diff"><tbody><tr class="hunk"><td></td><td></td><td><code>new file mode 100644',
    );
    expect(text).toContain('<b>lint</b> no');
  });
});
