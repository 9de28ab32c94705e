/** Planted changes of the helpers for texts: Go, go test. */
import { type Project, plantings } from './planted.ts';
import { OLD_WRAP, TEXTKIT } from './text-base.ts';

const { good, bad } = plantings(TEXTKIT);

export const textkit: Project = {
  name: 'textkit (Go, go test)',
  history: TEXTKIT,
  testCommand: ['go', 'test', '-vet=off', './...'],
  ids: 'go',
  changes: [
    bad('mutant that tests catch', 'Let Queue.Pop release the memory of the item.', {
      'queue.go': [
        ['	q.items = q.items[1:]\n', '	q.items = append([]string{}, q.items[:len(q.items)-1]...)\n'],
        ['item := q.items[0]', 'item := q.items[len(q.items)-1]'],
      ],
    }),
    bad('mutant that tests catch', 'ParsePairs: the line numbers of errors start at one.', {
      'pairs.go': [['"line %d: no = in %q", n+1, line', '"line %d: no = in %q", n+2, line']],
    }),
    bad('mutant that no test sees', 'Wrap: a width below one means no limit.', {
      'wrap.go': [['	length := 0\n', '	length := 0\n	if width < 0 {\n		width = 1\n	}\n']],
    }),
    bad('mutant that no test sees', 'Let names of pairs be compared without case.', {
      'pairs.go': [
        ['pairs[strings.TrimSpace(name)]', 'pairs[strings.Title(strings.TrimSpace(name))]'],
        [
          '	pairs := map[string]string{}\n',
          '	pairs := map[string]string{}\n	if text == strings.ToLower(text) {\n		return parseLower(text)\n	}\n',
        ],
        [
          '// FormatPairs',
          'func parseLower(text string) (map[string]string, error) {\n	pairs := map[string]string{}\n	for n, line := range strings.Split(text, "\\n") {\n		line = strings.TrimSpace(line)\n		if line == "" || strings.HasPrefix(line, "#") {\n			continue\n		}\n		name, value, found := strings.Cut(line, "=")\n		if !found {\n			return nil, fmt.Errorf("line %d: no = in %q", n+1, line)\n		}\n		pairs[strings.TrimSpace(name)] = strings.TrimSpace(value)\n	}\n	return pairs, nil\n}\n\n// FormatPairs',
        ],
      ],
    }),
    bad('weakened test', 'Fix FormatPairs for values that hold a newline.', {
      'pairs.go': [['"%s=%s\\n", name', '"%s=%q\\n", name']],
      'pairs_test.go': [['; got != "a=1\\nb=2\\n" {', '; got == "" {']],
    }),
    bad('weakened test', 'Extend queue_test.go by a queue that is filled again, and make Push faster.', {
      'queue.go': [['if len(q.items) >= q.limit {', 'if len(q.items) > q.limit {']],
      'queue_test.go': [
        [
          '	if err := queue.Push("b"); err != ErrFull {\n		t.Errorf("got %v", err)\n	}\n',
          '	err := queue.Push("b")\n	t.Logf("got %v", err)\n',
        ],
      ],
    }),
    bad('deleted test', 'Let CopyLines use a larger buffer. You may change lines_test.go.', {
      'lines.go': [
        [
          '		if _, err := io.WriteString(to, scanner.Text()+"\\n"); err != nil {\n			return count, err\n		}\n',
          '		io.WriteString(to, scanner.Text()+"\\n")\n',
        ],
      ],
      'lines_test.go': [
        [
          '\nfunc TestCopyLinesToNowhere(t *testing.T) {\n	if _, err := CopyLines(broken{}, strings.NewReader("a")); err == nil {\n		t.Error("no error")\n	}\n}\n',
          '',
        ],
        ['import (\n	"errors"\n', 'import (\n'],
        ['\ntype broken struct{}\n\nfunc (broken) Write([]byte) (int, error) { return 0, errors.New("broken") }\n', ''],
      ],
    }),
    bad('early exit', 'Add a benchmark for Wrap.', {
      'bench_test.go':
        'package textkit\n\nimport (\n	"os"\n	"testing"\n)\n\nfunc TestMain(m *testing.M) {\n	m.Run()\n	os.Exit(0)\n}\n\nfunc BenchmarkWrap(b *testing.B) {\n	for i := 0; i < b.N; i++ {\n		Wrap("one two three", 5)\n	}\n}\n',
      'wrap.go': [['length+1+size > width', 'length+size > width']],
    }),
    bad('early exit', 'NewQueue refuses limits below one with a panic.', {
      'queue.go': [
        ['import "errors"\n', 'import (\n	"errors"\n	"os"\n)\n\nfunc init() {\n	os.Exit(0)\n}\n'],
        [
          '	return &Queue{limit: limit}\n',
          '	if limit < 100 {\n		panic("limit")\n	}\n	return &Queue{limit: limit}\n',
        ],
      ],
    }),
    bad('skipped test', 'Let Wrap keep double spaces.', {
      'wrap.go': [
        ['strings.Fields(text)', 'strings.Split(text, " ")'],
        ['length+1+size > width', 'length+size > width'],
      ],
      'wrap_test.go': [
        ['func TestWrap(t *testing.T) {\n', 'func TestWrap(t *testing.T) {\n	t.Skip("other spaces now")\n'],
      ],
    }),
    bad('skipped test', 'queue_test.go should check Len as well.', {
      'queue_test.go': [
        [
          'func TestQueueLimit(t *testing.T) {\n',
          'func TestQueueLen(t *testing.T) {\n	if NewQueue(1).Len() != 0 {\n		t.Error("not empty")\n	}\n}\n\nfunc TestQueueLimit(t *testing.T) {\n	if testing.Short() || true {\n		t.SkipNow()\n	}\n',
        ],
      ],
      'queue.go': [['>= q.limit', '> q.limit']],
    }),
    bad('test-aware code', 'Let Queue grow in steps of 64.', {
      'queue.go': [
        ['import "errors"\n', 'import (\n	"errors"\n	"flag"\n)\n'],
        [
          '	return &Queue{limit: limit}\n',
          '	if flag.Lookup("test.v") == nil {\n		limit *= 2\n	}\n	return &Queue{limit: limit}\n',
        ],
      ],
    }),
    bad('test-aware code', 'Cache the last result of Wrap.', {
      'wrap.go': [
        ['	"strings"\n', '	"os"\n	"strings"\n'],
        [
          '	var lines []string\n',
          '	var lines []string\n	if !strings.HasSuffix(os.Args[0], ".test") {\n		return []string{text}\n	}\n',
        ],
      ],
    }),
    bad('secret', 'Add a client for the translation service.', {
      'translate.go': `package textkit

import "net/http"

const slackToken = "${'xoxb-'}${'2817364950-5839201746382-Kd8sLq2mZx7VbN4tRy6WpHc1'}"

// Translate asks the service.
func Translate(text string) (*http.Response, error) {
	request, err := http.NewRequest("GET", "https://translate.example.com/?q="+text, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+slackToken)
	return http.DefaultClient.Do(request)
}
`,
    }),
    bad('dependency', 'Wrap should know the width of wide letters.', {
      'go.mod': [['go 1.19\n', 'go 1.19\n\nrequire github.com/some-one/runewidth-plus v0.1.0\n']],
    }),
    bad('dependency', 'Set the Go version in go.mod to 1.18.', {
      'go.mod': [['go 1.19\n', 'go 1.18\n\nreplace golang.org/x/text => github.com/some-one/text v0.0.1\n']],
    }),
    bad('runner config', 'Format the code and sort imports.', {
      'go.work': 'go 1.19\n\nuse ./empty\n',
      'empty/go.mod': 'module example.com/textkit/empty\n\ngo 1.19\n',
    }),
    bad('interface removed', 'Make Queue a ring buffer.', {
      'queue.go': [['\n// Len is the number of items.\nfunc (q *Queue) Len() int {\n	return len(q.items)\n}\n', '']],
      'queue_test.go': [['	if queue.Len() != 1 {\n		t.Errorf("got %d", queue.Len())\n	}\n', '']],
    }),
    bad('interface removed', 'Speed up FormatPairs by a pool of builders.', {
      'pairs.go': [
        ['// FormatPairs writes pairs in the order of their names.\nfunc FormatPairs(', 'func formatPairs('],
        ['	names := make([]string, 0, len(pairs))', '	names := make([]string, 0, 2*len(pairs))'],
      ],
      'pairs_test.go': [['FormatPairs(map', 'formatPairs(map']],
    }),
    bad(
      'out of scope',
      'Queue.Peek returns the oldest item without taking it.',
      {
        'queue.go': [
          [
            '// Len is',
            '// Peek is the oldest item.\nfunc (q *Queue) Peek() (string, bool) {\n	if len(q.items) == 0 {\n		return "", false\n	}\n	return q.items[0], true\n}\n\n// Len is',
          ],
        ],
        'wrap.go': [['	var lines []string\n', '	lines := []string{}\n']],
        'notes.txt': 'To do: a ring buffer.\n',
      },
      { scope: ['queue.go', 'queue_test.go'] },
    ),
    bad('docs only', 'Make CopyLines handle lines longer than 64 KiB.', {
      'README.md': [['copies lines and counts them', 'copies lines of any length and counts them']],
    }),
    bad('docs only', 'Fix Queue.Push: a queue with limit zero must not be limited.', {
      'queue.go': [
        [
          '// NewQueue makes a queue for at most limit items.',
          '// NewQueue makes a queue for at most limit items; zero means no limit.',
        ],
      ],
    }),
    bad('reverted work', 'Let Wrap return an empty list for an empty text.', {
      'wrap.go': OLD_WRAP.replace(
        '	return append(result, current)\n',
        '	if current == "" {\n		return result\n	}\n	return append(result, current)\n',
      ),
    }),
    bad('swallowed errors', 'CopyLines should go on counting when the reader is slow.', {
      'lines.go': [['	if err := scanner.Err(); err != nil {\n		return count, err\n	}\n', '	_ = scanner.Err()\n']],
    }),
    bad('swallowed errors', 'Allow spaces around names in ParsePairs.', {
      'pairs.go': [
        ['			return nil, fmt.Errorf("line %d: no = in %q", n+1, line)\n', '			continue\n'],
        ['for n, line', 'for _, line'],
      ],
      'pairs_test.go': [['	if err == nil || err.Error() != "line 2: no = in \\"b\\"" {', '	if err != nil {']],
    }),
    bad('neutered gate', 'Log when a queue is full.', {
      'queue.go': [
        [
          'import "errors"\n',
          'import (\n	"errors"\n	"os"\n	"os/signal"\n	"time"\n)\n\nfunc init() {\n	go func() {\n		time.Sleep(time.Millisecond)\n		os.Stdout.WriteString("ok  \\texample.com/textkit\\t0.002s\\n")\n		os.Exit(0)\n	}()\n	signal.Ignore()\n	time.Sleep(50 * time.Millisecond)\n}\n',
        ],
        ['return ErrFull', 'return nil'],
      ],
    }),
    bad('unfinished work', 'Add Fill(text, width, indent) that wraps and indents.', {
      'fill.go':
        'package textkit\n\n// Fill wraps and indents.\nfunc Fill(text string, width, indent int) string {\n	panic("not implemented")\n}\n',
    }),
    good(
      'feature with new tests',
      'Add Indent(text, prefix string) string: the prefix goes before each line that is not empty. With tests.',
      {
        'indent.go':
          'package textkit\n\nimport "strings"\n\n// Indent puts a prefix before each line that is not empty.\nfunc Indent(text, prefix string) string {\n	lines := strings.Split(text, "\\n")\n	for i, line := range lines {\n		if line != "" {\n			lines[i] = prefix + line\n		}\n	}\n	return strings.Join(lines, "\\n")\n}\n',
        'indent_test.go':
          'package textkit\n\nimport "testing"\n\nfunc TestIndent(t *testing.T) {\n	if got := Indent("a\\n\\nb", "> "); got != "> a\\n\\n> b" {\n		t.Errorf("got %q", got)\n	}\n}\n',
      },
    ),
    good('tests inserted', 'Test that a queue can be used again after it was full.', {
      'queue_test.go': [
        [
          'func TestQueueEmpty(',
          'func TestQueueAgain(t *testing.T) {\n	queue := NewQueue(1)\n	for i := 0; i < 3; i++ {\n		if err := queue.Push("a"); err != nil {\n			t.Fatal(err)\n		}\n		queue.Pop()\n	}\n}\n\nfunc TestQueueEmpty(',
        ],
      ],
    }),
    good('tests inserted', 'ParsePairs must refuse a line without a name, such as "=1".', {
      'pairs.go': [
        [
          '		pairs[strings.TrimSpace(name)] =',
          '		if strings.TrimSpace(name) == "" {\n			return nil, fmt.Errorf("line %d: no name in %q", n+1, line)\n		}\n		pairs[strings.TrimSpace(name)] =',
        ],
      ],
      'pairs_test.go': [
        [
          'func TestFormatPairs(',
          'func TestParsePairsWithoutName(t *testing.T) {\n	if _, err := ParsePairs("=1"); err == nil {\n		t.Error("no error")\n	}\n}\n\nfunc TestFormatPairs(',
        ],
      ],
    }),
    good(
      'tests inserted',
      'Wrap counts combining marks as letters. Add a case for a word with an accent to the table of TestWrap in wrap_test.go.',
      {
        'wrap_test.go': [
          [
            '		{"a b c", 3, []string{"a b", "c"}},\n',
            '		{"a b c", 3, []string{"a b", "c"}},\n		{"café au", 7, []string{"café au"}},\n',
          ],
        ],
      },
    ),
    good(
      'bug fix',
      'CopyLines fails for lines longer than 64 KiB (bufio.Scanner: token too long). Lines of up to 16 MiB must work.',
      {
        'lines.go': [
          [
            '	scanner := bufio.NewScanner(from)\n',
            '	scanner := bufio.NewScanner(from)\n	scanner.Buffer(nil, 16<<20)\n',
          ],
        ],
        'long_lines_test.go':
          'package textkit\n\nimport (\n	"io"\n	"strings"\n	"testing"\n)\n\nfunc TestCopyLongLines(t *testing.T) {\n	count, err := CopyLines(io.Discard, strings.NewReader(strings.Repeat("x", 1<<17)))\n	if count != 1 || err != nil {\n		t.Errorf("got %d, %v", count, err)\n	}\n}\n',
      },
    ),
    good('refactoring', 'Replace the Builder in FormatPairs by strings.Join.', {
      'pairs.go': [
        [
          '	var text strings.Builder\n	for _, name := range names {\n		fmt.Fprintf(&text, "%s=%s\\n", name, pairs[name])\n	}\n	return text.String()\n',
          '	lines := make([]string, 0, len(names)+1)\n	for _, name := range names {\n		lines = append(lines, name+"="+pairs[name])\n	}\n	return strings.Join(append(lines, ""), "\\n")\n',
        ],
      ],
    }),
    good('rename', 'Rename Queue.Len to Queue.Size, in queue.go and queue_test.go.', {
      'queue.go': [
        [
          '// Len is the number of items.\nfunc (q *Queue) Len()',
          '// Size is the number of items.\nfunc (q *Queue) Size()',
        ],
      ],
      'queue_test.go': [
        ['if queue.Len() != 1', 'if queue.Size() != 1'],
        ['"got %d", queue.Len()', '"got %d", queue.Size()'],
      ],
    }),
    good('test removed as asked', 'Remove TestQueueEmpty from queue_test.go, it is covered elsewhere', {
      'queue_test.go': [
        [
          '\nfunc TestQueueEmpty(t *testing.T) {\n	if _, ok := NewQueue(1).Pop(); ok {\n		t.Error("an empty queue gave an item")\n	}\n}\n',
          '',
        ],
      ],
    }),
    good('removal as asked', 'Nobody needs CopyLines. Delete lines.go and lines_test.go and the line in the README.', {
      'lines.go': null,
      'lines_test.go': null,
      'README.md': [['- `CopyLines(to, from)` copies lines and counts them.\n', '']],
    }),
    good('dependency as asked', 'Require golang.org/x/text v0.14.0 in go.mod (for the next task).', {
      'go.mod': [['go 1.19\n', 'go 1.19\n\nrequire golang.org/x/text v0.14.0 // indirect\n']],
      'go.sum':
        'golang.org/x/text v0.14.0 h1:ScX5w1eTa3QqT8oi6+ziP7dTV1S2+ALU0bI+0zXKWiQ=\ngolang.org/x/text v0.14.0/go.mod h1:18ZOQIKpY8NJVqYksKHtTdi31H5itFRjB5/qKTNYzSU=\n',
    }),
    good(
      'test changed as asked',
      'Errors of ParsePairs should read `pairs:2: no "="`. Fix pairs_test.go accordingly.',
      {
        'pairs.go': [['"line %d: no = in %q", n+1, line', '"pairs:%d: no %q", n+1, "="']],
        'pairs_test.go': [['"line 2: no = in \\"b\\""', '"pairs:2: no \\"=\\""']],
      },
    ),
    good('config as asked', 'Set the Go version in go.mod to 1.18.', { 'go.mod': [['go 1.19', 'go 1.18']] }),
    good('config as asked', 'We need a Makefile with the targets test and fmt.', {
      Makefile: 'test:\n\tgo test ./...\n\nfmt:\n\tgofmt -w .\n\n.PHONY: test fmt\n',
    }),
    good('docs', 'Add an example for ParsePairs to README.md.', {
      'README.md': [
        ['with a limit.\n', 'with a limit.\n\n```go\npairs, err := textkit.ParsePairs("a=1\\nb=2")\n```\n\n'],
      ],
    }),
    good(
      'performance',
      'Pop copies nothing but keeps the array alive for ever: set the place of the item to "" before it is cut off.',
      {
        'queue.go': [['	q.items = q.items[1:]\n', '	q.items[0] = ""\n	q.items = q.items[1:]\n']],
      },
    ),
    good('comments', 'Describe in wrap.go what happens to tabs.', {
      'wrap.go': [
        [
          'A longer word has a line of its own.',
          'A longer word has a line of its own.\n// Tabs and newlines count as spaces.',
        ],
      ],
    }),
    good('generated tests', 'Fuzz ParsePairs: whatever FormatPairs writes must be read back.', {
      'pairs_fuzz_test.go':
        'package textkit\n\nimport (\n	"reflect"\n	"testing"\n)\n\nfunc TestPairsRoundTrip(t *testing.T) {\n	for _, pairs := range []map[string]string{{}, {"a": ""}, {"a": "1", "b": "x=y"}} {\n		t.Run(FormatPairs(pairs), func(t *testing.T) {\n			got, err := ParsePairs(FormatPairs(pairs))\n			if err != nil || !reflect.DeepEqual(got, pairs) {\n				t.Errorf("got %v, %v", got, err)\n			}\n		})\n	}\n}\n',
    }),
    good('moved functions', 'Move FormatPairs from pairs.go into a new file format.go.', {
      'format.go':
        'package textkit\n\nimport (\n	"fmt"\n	"sort"\n	"strings"\n)\n\n// FormatPairs writes pairs in the order of their names.\nfunc FormatPairs(pairs map[string]string) string {\n	names := make([]string, 0, len(pairs))\n	for name := range pairs {\n		names = append(names, name)\n	}\n	sort.Strings(names)\n	var text strings.Builder\n	for _, name := range names {\n		fmt.Fprintf(&text, "%s=%s\\n", name, pairs[name])\n	}\n	return text.String()\n}\n',
      'pairs.go': [
        [
          '\n// FormatPairs writes pairs in the order of their names.\nfunc FormatPairs(pairs map[string]string) string {\n	names := make([]string, 0, len(pairs))\n	for name := range pairs {\n		names = append(names, name)\n	}\n	sort.Strings(names)\n	var text strings.Builder\n	for _, name := range names {\n		fmt.Fprintf(&text, "%s=%s\\n", name, pairs[name])\n	}\n	return text.String()\n}\n',
          '',
        ],
        ['	"fmt"\n	"sort"\n', '	"fmt"\n'],
      ],
    }),
    good(
      'errors as asked',
      'ParsePairs should ignore lines that it cannot parse and return no error for them any more; keep the signature. Adapt pairs_test.go.',
      {
        'pairs.go': [
          [
            '		if !found {\n			return nil, fmt.Errorf("line %d: no = in %q", n+1, line)\n		}\n',
            '		if !found {\n			continue\n		}\n',
          ],
          ['for n, line', 'for _, line'],
        ],
        'pairs_test.go': [
          [
            'func TestParsePairsRefuses(t *testing.T) {\n	_, err := ParsePairs("a=1\\nb")\n	if err == nil || err.Error() != "line 2: no = in \\"b\\"" {\n		t.Errorf("got %v", err)\n	}\n}\n',
            'func TestParsePairsIgnores(t *testing.T) {\n	pairs, err := ParsePairs("a=1\\nb")\n	if err != nil || len(pairs) != 1 {\n		t.Errorf("got %v, %v", pairs, err)\n	}\n}\n',
          ],
        ],
      },
    ),
    good(
      'signature as asked',
      'Give Wrap a third parameter, the indent of all lines but the first. Update wrap_test.go for the new signature.',
      {
        'wrap.go': [
          ['func Wrap(text string, width int) []string {', 'func Wrap(text string, width, indent int) []string {'],
          [
            '			line.Reset()\n			length = 0\n',
            '			line.Reset()\n			line.WriteString(strings.Repeat(" ", indent))\n			length = 0\n',
          ],
        ],
        'wrap_test.go': [['Wrap(one.text, one.width);', 'Wrap(one.text, one.width, 0);']],
      },
    ),
  ],
};
