/** Books on shelves: a Go module with `cmd`, `internal` and a public package, table tests. */
import type { Tree } from './planted.ts';

export const OLD_ISBN = `// Package isbn reads book numbers.
package isbn

// Valid says whether the text is a book number.
func Valid(text string) bool {
	digits := ""
	for _, letter := range text {
		if letter >= '0' && letter <= '9' {
			digits = digits + string(letter)
		}
	}
	if len(digits) != 13 {
		return false
	}
	total := 0
	for position, digit := range digits {
		factor := 1
		if position%2 == 1 {
			factor = 3
		}
		total = total + factor*int(digit-'0')
	}
	return total%10 == 0
}
`;
const ISBN = `// Package isbn reads book numbers.
package isbn

import (
	"errors"
	"fmt"
	"strings"
)

// ErrChecksum says that a digit is wrong.
var ErrChecksum = errors.New("wrong check digit")

// Number is a book number without dashes.
type Number string

// Parse reads a number of thirteen digits, with or without dashes.
func Parse(text string) (Number, error) {
	plain := strings.ReplaceAll(text, "-", "")
	if len(plain) != 13 {
		return "", fmt.Errorf("isbn: %q has %d digits", text, len(plain))
	}
	sum := 0
	for i, r := range plain {
		if r < '0' || r > '9' {
			return "", fmt.Errorf("isbn: %q has a %q", text, r)
		}
		weight := 1 + 2*(i%2)
		sum += weight * int(r-'0')
	}
	if sum%10 != 0 {
		return "", ErrChecksum
	}
	return Number(plain), nil
}

// String shows the number.
func (n Number) String() string { return string(n) }
`;

export const SHELF: readonly Tree[] = [
  {
    'go.mod': 'module example.org/shelf\n\ngo 1.22\n',
    '.gitignore': '/bin/\n*.out\n',
    Makefile: 'test:\n\tgo test -race ./...\n\nlint:\n\tgo vet ./...\n\tgolangci-lint run\n\n.PHONY: test lint\n',
    '.golangci.yml': 'linters:\n  enable:\n    - errcheck\n    - govet\n    - gosec\n    - staticcheck\n',
    'README.md': '# shelf\n\n`shelf serve` offers the books of a file over HTTP; `shelf add ISBN TITLE` adds one.\n',
    LICENSE: 'Mozilla Public License Version 2.0\n',
    'isbn/isbn.go': OLD_ISBN,
    'internal/store/store.go': `// Package store keeps books in a file, one JSON document a line.
package store

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// ErrDuplicate says that the book is there already.
var ErrDuplicate = errors.New("duplicate book")

// Book is one book.
type Book struct {
	ISBN  string \`json:"isbn"\`
	Title string \`json:"title"\`
}

// Store is safe for use by several goroutines.
type Store struct {
	mu   sync.Mutex
	path string
}

// Open names the file; it need not exist.
func Open(path string) *Store { return &Store{path: path} }

// All reads every book.
func (s *Store) All() ([]Book, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read()
}

func (s *Store) read() ([]Book, error) {
	file, err := os.Open(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var books []Book
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		var book Book
		if err := json.Unmarshal(lines.Bytes(), &book); err != nil {
			return nil, fmt.Errorf("%s line %d: %w", s.path, n, err)
		}
		books = append(books, book)
	}
	return books, lines.Err()
}

// Add appends a book.
func (s *Store) Add(book Book) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	books, err := s.read()
	if err != nil {
		return err
	}
	for _, other := range books {
		if other.ISBN == book.ISBN {
			return ErrDuplicate
		}
	}
	line, err := json.Marshal(book)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(s.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := file.Write(append(line, '\\n')); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}
`,
    'internal/httpapi/api.go': `// Package httpapi offers books over HTTP.
package httpapi

import (
	"encoding/json"
	"log/slog"
	"net/http"

	"example.org/shelf/internal/store"
)

// Books is what the handler needs of a store.
type Books interface {
	All() ([]store.Book, error)
	Add(store.Book) error
}

// Handler answers /books.
func Handler(books Books) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /books", func(w http.ResponseWriter, r *http.Request) {
		all, err := books.All()
		if err != nil {
			slog.Error("reading books", "error", err)
			http.Error(w, "cannot read books", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(all); err != nil {
			slog.Warn("writing books", "error", err)
		}
	})
	return mux
}
`,
    'internal/cover/cover.go': `// Package cover makes small pictures of covers.
package cover

import (
	"context"
	"fmt"
	"os/exec"
)

// Thumbnail calls ImageMagick.
func Thumbnail(ctx context.Context, from, to string) error {
	out, err := exec.CommandContext(ctx, "convert", "--", from, "-resize", "120x", to).CombinedOutput()
	if err != nil {
		return fmt.Errorf("convert: %w: %s", err, out)
	}
	return nil
}
`,
    'internal/store/kind_string.go': `// Code generated by "stringer -type=Kind"; DO NOT EDIT.

package store

func (k Kind) String() string { return kindNames[k] }

var kindNames = [...]string{"Paper", "Audio"}
`,
    'internal/store/kind.go': `package store

//go:generate stringer -type=Kind

// Kind is how a book is made.
type Kind int

// Kinds of books.
const (
	Paper Kind = iota
	Audio
)
`,
    'cmd/shelf/main.go': `// Command shelf keeps books.
package main

import (
	"fmt"
	"net/http"
	"os"

	"example.org/shelf/internal/httpapi"
	"example.org/shelf/internal/store"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "shelf:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	books := store.Open("books.jsonl")
	switch {
	case len(args) == 3 && args[0] == "add":
		return books.Add(store.Book{ISBN: args[1], Title: args[2]})
	case len(args) == 1 && args[0] == "serve":
		return http.ListenAndServe("localhost:8081", httpapi.Handler(books))
	default:
		return fmt.Errorf("usage: shelf serve | shelf add ISBN TITLE")
	}
}
`,
    'internal/store/store_test.go': `package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestAddAndRead(t *testing.T) {
	s := Open(filepath.Join(t.TempDir(), "books.jsonl"))
	want := Book{ISBN: "1", Title: "Tea"}
	if err := s.Add(want); err != nil {
		t.Fatal(err)
	}
	got, err := s.All()
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0] != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestDuplicate(t *testing.T) {
	s := Open(filepath.Join(t.TempDir(), "books.jsonl"))
	if err := s.Add(Book{ISBN: "1"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Add(Book{ISBN: "1"}); !errors.Is(err, ErrDuplicate) {
		t.Errorf("got %v, want %v", err, ErrDuplicate)
	}
}

func TestDamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "books.jsonl")
	if err := os.WriteFile(path, []byte("{\\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path).All(); err == nil {
		t.Error("no error for a damaged file")
	}
}
`,
    'internal/httpapi/api_test.go': `package httpapi

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"example.org/shelf/internal/store"
)

type books struct {
	all []store.Book
	err error
}

func (b *books) All() ([]store.Book, error) { return b.all, b.err }
func (b *books) Add(book store.Book) error  { b.all = append(b.all, book); return b.err }

func get(b *books) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	Handler(b).ServeHTTP(w, httptest.NewRequest("GET", "/books", nil))
	return w
}

func TestList(t *testing.T) {
	w := get(&books{all: []store.Book{{ISBN: "1", Title: "Tea"}}})
	if want := \`[{"isbn":"1","title":"Tea"}]\`; strings.TrimSpace(w.Body.String()) != want {
		t.Errorf("got %s, want %s", w.Body, want)
	}
}

func TestFailure(t *testing.T) {
	if w := get(&books{err: errors.New("disk")}); w.Code != 500 {
		t.Errorf("got %d, want 500", w.Code)
	}
}
`,
  },
  {
    'isbn/isbn.go': ISBN,
    'isbn/isbn_test.go': `package isbn

import (
	"errors"
	"testing"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want Number
		ok   bool
	}{
		{"plain", "9783161484100", "9783161484100", true},
		{"dashes", "978-3-16-148410-0", "9783161484100", true},
		{"short", "978", "", false},
		{"letters", "97831614841xx", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse(tt.in)
			if (err == nil) != tt.ok {
				t.Fatalf("error: %v", err)
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestChecksum(t *testing.T) {
	if _, err := Parse("9783161484101"); !errors.Is(err, ErrChecksum) {
		t.Errorf("got %v", err)
	}
}
`,
  },
];
