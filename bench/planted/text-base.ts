/** Helpers for texts in Go, tested by go test. */
import type { Tree } from './planted.ts';

export const OLD_WRAP = `package textkit

import "strings"

// Wrap breaks a text into lines of at most width letters.
func Wrap(text string, width int) []string {
	result := []string{}
	current := ""
	for _, word := range strings.Split(text, " ") {
		candidate := current + " " + word
		if current == "" {
			candidate = word
		}
		if len(candidate) > width && current != "" {
			result = append(result, current)
			candidate = word
		}
		current = candidate
	}
	return append(result, current)
}
`;
const WRAP = `package textkit

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks a text into lines of at most width letters. A longer word has a line of its own.
func Wrap(text string, width int) []string {
	var lines []string
	var line strings.Builder
	length := 0
	for _, word := range strings.Fields(text) {
		size := utf8.RuneCountInString(word)
		if length > 0 && length+1+size > width {
			lines = append(lines, line.String())
			line.Reset()
			length = 0
		}
		if length > 0 {
			line.WriteByte(' ')
			length++
		}
		line.WriteString(word)
		length += size
	}
	if length > 0 {
		lines = append(lines, line.String())
	}
	return lines
}
`;

export const TEXTKIT: readonly Tree[] = [
  {
    'go.mod': 'module example.com/textkit\n\ngo 1.19\n',
    '.gitignore': '*.out\n',
    'README.md': `# textkit

- \`Wrap(text, width)\` breaks lines.
- \`ParsePairs(text)\` reads \`name=value\` lines, \`FormatPairs\` writes them.
- \`Queue\` is a first-in-first-out queue with a limit.
- \`CopyLines(to, from)\` copies lines and counts them.
`,
    'wrap.go': OLD_WRAP,
    'pairs.go': `package textkit

import (
	"fmt"
	"sort"
	"strings"
)

// ParsePairs reads lines of name=value. Empty lines and lines that begin with # are skipped.
func ParsePairs(text string) (map[string]string, error) {
	pairs := map[string]string{}
	for n, line := range strings.Split(text, "\\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, found := strings.Cut(line, "=")
		if !found {
			return nil, fmt.Errorf("line %d: no = in %q", n+1, line)
		}
		pairs[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return pairs, nil
}

// FormatPairs writes pairs in the order of their names.
func FormatPairs(pairs map[string]string) string {
	names := make([]string, 0, len(pairs))
	for name := range pairs {
		names = append(names, name)
	}
	sort.Strings(names)
	var text strings.Builder
	for _, name := range names {
		fmt.Fprintf(&text, "%s=%s\\n", name, pairs[name])
	}
	return text.String()
}
`,
    'queue.go': `package textkit

import "errors"

// ErrFull is returned when a queue has no room.
var ErrFull = errors.New("the queue is full")

// Queue is a first-in-first-out queue with a limit.
type Queue struct {
	limit int
	items []string
}

// NewQueue makes a queue for at most limit items.
func NewQueue(limit int) *Queue {
	return &Queue{limit: limit}
}

// Push adds an item at the end.
func (q *Queue) Push(item string) error {
	if len(q.items) >= q.limit {
		return ErrFull
	}
	q.items = append(q.items, item)
	return nil
}

// Pop takes the oldest item.
func (q *Queue) Pop() (string, bool) {
	if len(q.items) == 0 {
		return "", false
	}
	item := q.items[0]
	q.items = q.items[1:]
	return item, true
}

// Len is the number of items.
func (q *Queue) Len() int {
	return len(q.items)
}
`,
    'lines.go': `package textkit

import (
	"bufio"
	"io"
)

// CopyLines copies lines and says how many there were.
func CopyLines(to io.Writer, from io.Reader) (int, error) {
	count := 0
	scanner := bufio.NewScanner(from)
	for scanner.Scan() {
		if _, err := io.WriteString(to, scanner.Text()+"\\n"); err != nil {
			return count, err
		}
		count++
	}
	if err := scanner.Err(); err != nil {
		return count, err
	}
	return count, nil
}
`,
    'wrap_test.go': `package textkit

import (
	"reflect"
	"testing"
)

func TestWrap(t *testing.T) {
	cases := []struct {
		text  string
		width int
		want  []string
	}{
		{"one two three", 7, []string{"one two", "three"}},
		{"long", 2, []string{"long"}},
		{"a b c", 3, []string{"a b", "c"}},
	}
	for _, one := range cases {
		if got := Wrap(one.text, one.width); !reflect.DeepEqual(got, one.want) {
			t.Errorf("Wrap(%q, %d) = %q, want %q", one.text, one.width, got, one.want)
		}
	}
}
`,
    'pairs_test.go': `package textkit

import "testing"

func TestParsePairs(t *testing.T) {
	pairs, err := ParsePairs("# c\\na = 1\\n\\nb=x=y\\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(pairs) != 2 || pairs["a"] != "1" || pairs["b"] != "x=y" {
		t.Errorf("got %v", pairs)
	}
}

func TestParsePairsRefuses(t *testing.T) {
	_, err := ParsePairs("a=1\\nb")
	if err == nil || err.Error() != "line 2: no = in \\"b\\"" {
		t.Errorf("got %v", err)
	}
}

func TestFormatPairs(t *testing.T) {
	if got := FormatPairs(map[string]string{"b": "2", "a": "1"}); got != "a=1\\nb=2\\n" {
		t.Errorf("got %q", got)
	}
}
`,
    'queue_test.go': `package textkit

import "testing"

func TestQueueOrder(t *testing.T) {
	queue := NewQueue(2)
	if err := queue.Push("a"); err != nil {
		t.Fatal(err)
	}
	if err := queue.Push("b"); err != nil {
		t.Fatal(err)
	}
	if item, ok := queue.Pop(); item != "a" || !ok {
		t.Errorf("got %q, %v", item, ok)
	}
	if queue.Len() != 1 {
		t.Errorf("got %d", queue.Len())
	}
}

func TestQueueLimit(t *testing.T) {
	queue := NewQueue(1)
	_ = queue.Push("a")
	if err := queue.Push("b"); err != ErrFull {
		t.Errorf("got %v", err)
	}
}

func TestQueueEmpty(t *testing.T) {
	if _, ok := NewQueue(1).Pop(); ok {
		t.Error("an empty queue gave an item")
	}
}
`,
    'lines_test.go': `package textkit

import (
	"errors"
	"strings"
	"testing"
)

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken") }

func TestCopyLines(t *testing.T) {
	var to strings.Builder
	count, err := CopyLines(&to, strings.NewReader("a\\nb"))
	if count != 2 || err != nil || to.String() != "a\\nb\\n" {
		t.Errorf("got %d, %v, %q", count, err, to.String())
	}
}

func TestCopyLinesToNowhere(t *testing.T) {
	if _, err := CopyLines(broken{}, strings.NewReader("a")); err == nil {
		t.Error("no error")
	}
}
`,
  },
  { 'wrap.go': WRAP },
];
