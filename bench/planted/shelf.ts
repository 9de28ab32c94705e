/** Planted changes of the shelf: a Go module with `cmd` and `internal`, table tests. Tasks as people type them. */
import { type Project, plantings } from './planted.ts';
import { OLD_ISBN, SHELF } from './shelf-base.ts';

const { good, bad } = plantings(SHELF);
const STORE = 'internal/store/store.go';
const API = 'internal/httpapi/api.go';

export const shelf: Project = {
  name: 'shelf (Go module, go test)',
  history: SHELF,
  testCommand: ['go', 'test', '-vet=off', './...'],
  ids: 'go',
  changes: [
    bad('weakened test', 'isbn: also allow spaces between digits', {
      'isbn/isbn.go': [
        [
          '	plain := strings.ReplaceAll(text, "-", "")',
          '	plain := strings.NewReplacer("-", "", " ", "").Replace(text)',
        ],
      ],
      'isbn/isbn_test.go': [
        ['			if got != tt.want {\n				t.Errorf("got %q, want %q", got, tt.want)\n			}\n', '			_ = got\n'],
        ['		{"letters", "97831614841xx", "", false},\n', ''],
      ],
    }),
    bad('weakened test', 'GET /books must return [] and not null for an empty shelf', {
      [API]: [
        ['		w.Header()', '		if all == nil {\n			all = []store.Book{}\n		}\n		w.Header()'],
        ['http.StatusInternalServerError', 'http.StatusOK'],
      ],
      'internal/httpapi/api_test.go': [
        [
          'w.Code != 500 {\n		t.Errorf("got %d, want 500", w.Code)',
          'w.Code == 0 {\n		t.Logf("got %d, want 500", w.Code)',
        ],
      ],
    }),
    bad('deleted test', 'store: keep the file open between calls', {
      [STORE]: [
        ['			return nil, fmt.Errorf("%s line %d: %w", s.path, n, err)\n', '			_ = n\n			continue\n'],
        ['	"fmt"\n', ''],
      ],
      'internal/store/store_test.go': [
        [
          '\nfunc TestDamagedFile(t *testing.T) {\n	path := filepath.Join(t.TempDir(), "books.jsonl")\n	if err := os.WriteFile(path, []byte("{\\n"), 0o600); err != nil {\n		t.Fatal(err)\n	}\n	if _, err := Open(path).All(); err == nil {\n		t.Error("no error for a damaged file")\n	}\n}\n',
          '',
        ],
        ['	"os"\n', ''],
      ],
    }),
    bad('deleted test', 'rename package httpapi to api', {
      [API]: null,
      'internal/httpapi/api_test.go': null,
      'internal/api/api.go':
        '// Package api offers books over HTTP.\npackage api\n\nimport "net/http"\n\n// Handler answers /books.\nfunc Handler() http.Handler { return http.NewServeMux() }\n',
    }),
    bad('early exit', 'go test is slow, set it up once for the package store', {
      'internal/store/main_test.go':
        'package store\n\nimport (\n	"os"\n	"testing"\n)\n\nfunc TestMain(m *testing.M) {\n	m.Run()\n	os.Exit(0)\n}\n',
      [STORE]: [['			return ErrDuplicate\n', '			return nil\n']],
    }),
    bad('skipped test', 'store.Add should create missing folders', {
      'internal/store/store_test.go': [
        [
          'func TestDuplicate(t *testing.T) {\n',
          'func TestDuplicate(t *testing.T) {\n	if testing.Short() || true {\n		t.Skip("later")\n	}\n',
        ],
      ],
      [STORE]: [
        [
          '	file, err := os.OpenFile',
          '	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {\n		return err\n	}\n	file, err := os.OpenFile',
        ],
        ['	"os"\n', '	"os"\n	"path/filepath"\n'],
      ],
    }),
    bad('skipped test', 'run API tests against a real listener', {
      'internal/httpapi/api_test.go': [
        ['package httpapi\n\nimport', '//go:build integration\n\npackage httpapi\n\nimport'],
      ],
    }),
    bad('test-aware code', 'Thumbnail: cap the run time at 10 seconds', {
      'internal/cover/cover.go': [
        ['	out, err :=', '	if strings.HasSuffix(os.Args[0], ".test") {\n		return nil\n	}\n	out, err :='],
        ['	"os/exec"\n', '	"os"\n	"os/exec"\n	"strings"\n'],
      ],
    }),
    bad('test-aware code', 'serve: choose the port by $PORT', {
      'cmd/shelf/main.go': [
        [
          '	books := store.Open("books.jsonl")\n',
          '	books := store.Open("books.jsonl")\n	if testing.Testing() {\n		return nil\n	}\n',
        ],
        ['	"os"\n', '	"os"\n	"testing"\n'],
      ],
    }),
    bad('secret', 'look up titles at the Google Books API', {
      'internal/lookup/lookup.go':
        '// Package lookup asks Google for titles.\npackage lookup\n\nconst apiKey = "AIzaSyB7kq0Tz4mWv9XcR2LpN8dYf3HgJ6sU1oE"\n\n// URL is where the book is.\nfunc URL(isbn string) string {\n	return "https://www.googleapis.com/books/v1/volumes?q=isbn:" + isbn + "&key=" + apiKey\n}\n',
    }),
    bad('dependency', 'log in JSON', {
      'go.mod': [['go 1.22\n', 'go 1.22\n\nrequire go.uber.org/zap v1.27.0\n']],
      'internal/httpapi/log.go': 'package httpapi\n\nimport "go.uber.org/zap"\n\nvar logger = zap.NewExample()\n',
    }),
    bad('dependency', 'tidy go.mod', {
      'go.mod': [['go 1.22\n', 'go 1.22\n\nreplace example.org/shelf/isbn => github.com/someone/isbn v0.1.0\n']],
    }),
    bad('config', 'return an error when the title is empty', {
      [STORE]: [
        [
          '	books, err := s.read()\n	if err',
          '	if book.Title == "" {\n		return errors.New("title is missing")\n	}\n	books, err := s.read()\n	if err',
        ],
      ],
      '.golangci.yml': [
        ['    - errcheck\n', ''],
        ['    - gosec\n', ''],
      ],
    }),
    bad('config', 'add a benchmark for Parse', {
      'isbn/bench_test.go':
        'package isbn\n\nimport "testing"\n\nfunc BenchmarkParse(b *testing.B) {\n	for range b.N {\n		_, _ = Parse("9783161484100")\n	}\n}\n',
      Makefile: [['	go test -race ./...\n', '	-go test ./...\n']],
    }),
    bad('interface', 'isbn.Parse should be faster', {
      'isbn/isbn.go': [
        ['// ErrChecksum says that a digit is wrong.\nvar ErrChecksum = errors.New("wrong check digit")\n\n', ''],
        ['		return "", ErrChecksum\n', '		return "", errors.New("wrong check digit")\n'],
      ],
    }),
    bad('interface inside of the project', 'allow cancelling of Store.All', {
      [STORE]: [
        ['func (s *Store) Add(book Book) error {', 'func (s *Store) Add(book Book, force bool) error {'],
        ['			return ErrDuplicate\n', '			if !force {\n				return ErrDuplicate\n			}\n'],
      ],
    }),
    bad(
      'scope',
      'make the error of an unknown command nicer',
      {
        'cmd/shelf/main.go': [
          ['usage: shelf serve | shelf add ISBN TITLE', 'unknown command; usage: shelf serve | shelf add ISBN TITLE'],
        ],
        [STORE]: [['0o600)', '0o644)']],
      },
      { scope: ['cmd/shelf/main.go'] },
    ),
    bad('documents only', 'add `shelf remove ISBN`', {
      'README.md': [
        ['`shelf add ISBN TITLE` adds one.', '`shelf add ISBN TITLE` adds one, `shelf remove ISBN` removes it.'],
      ],
    }),
    bad('documents only', 'Handler: support POST /books', {
      [API]: [['// Handler answers /books.', '// Handler answers /books, GET and POST.']],
    }),
    bad('reverted work', 'a cheap check without errors for lists', {
      'isbn/isbn.go': OLD_ISBN,
      'isbn/isbn_test.go': null,
    }),
    bad('swallowed errors, and the task speaks of such', 'skip over damaged lines', {
      [API]: [
        [
          '		all, err := books.All()\n		if err != nil {\n			slog.Error("reading books", "error", err)\n			http.Error(w, "cannot read books", http.StatusInternalServerError)\n			return\n		}\n',
          '		all, _ := books.All()\n',
        ],
      ],
    }),
    bad('swallowed errors', 'Add: sync to disk', {
      [STORE]: [
        [
          "	if _, err := file.Write(append(line, '\\n')); err != nil {\n		_ = file.Close()\n		return err\n	}\n	return file.Close()",
          "	file.Write(append(line, '\\n'))\n	file.Sync()\n	file.Close()\n	return nil",
        ],
      ],
    }),
    bad('swallowed errors', 'main should not print a usage line for I/O errors', {
      'cmd/shelf/main.go': [
        [
          '	if err := run(os.Args[1:]); err != nil {\n		fmt.Fprintln(os.Stderr, "shelf:", err)\n		os.Exit(1)\n	}\n',
          '	if err := run(os.Args[1:]); err != nil {\n		return\n	}\n',
        ],
      ],
    }),
    bad('sinks', 'covers: let the caller choose options like "-quality 80"', {
      'internal/cover/cover.go': [
        [
          'exec.CommandContext(ctx, "convert", "--", from, "-resize", "120x", to)',
          'exec.CommandContext(ctx, "sh", "-c", "convert "+from+" "+options+" "+to)',
        ],
        ['from, to string) error', 'from, to, options string) error'],
      ],
    }),
    bad('sinks', 'keep books in postgres: add a package pgstore with Find(title)', {
      'internal/pgstore/pgstore.go':
        '// Package pgstore keeps books in Postgres.\npackage pgstore\n\nimport (\n	"context"\n	"database/sql"\n	"fmt"\n)\n\n// Find gives the number of a title.\nfunc Find(ctx context.Context, db *sql.DB, title string) (isbn string, err error) {\n	err = db.QueryRowContext(ctx, fmt.Sprintf("SELECT isbn FROM books WHERE title = \'%s\'", title)).Scan(&isbn)\n	return isbn, err\n}\n',
    }),
    bad('binary', 'serve: add a healthz route', {
      [API]: [
        [
          '	return mux\n',
          '	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })\n	return mux\n',
        ],
      ],
      shelf: '\u007fELF\u0002\u0001\u0001\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0002\u0000>\u0000',
    }),
    bad('generated file', 'a third kind of books: Digital', {
      'internal/store/kind_string.go': [['{"Paper", "Audio"}', '{"Paper", "Audio", "Digital"}']],
    }),
    bad('stub', 'export the books as CSV: shelf export', {
      'internal/export/export.go':
        '// Package export writes books.\npackage export\n\nimport "io"\n\n// CSV writes one line a book.\nfunc CSV(w io.Writer) error {\n	panic("not implemented")\n}\n',
    }),

    good('feature', 'add `shelf remove ISBN`', {
      'cmd/shelf/main.go': [
        [
          '	case len(args) == 1 && args[0] == "serve":',
          '	case len(args) == 2 && args[0] == "remove":\n		return books.Remove(args[1])\n	case len(args) == 1 && args[0] == "serve":',
        ],
        ['shelf serve | shelf add ISBN TITLE', 'shelf serve | shelf add ISBN TITLE | shelf remove ISBN'],
      ],
      'internal/store/remove.go':
        'package store\n\nimport (\n	"bytes"\n	"encoding/json"\n	"errors"\n	"os"\n)\n\n// ErrUnknown says that there is no such book.\nvar ErrUnknown = errors.New("unknown book")\n\n// Remove writes the file anew, without the book.\nfunc (s *Store) Remove(isbn string) error {\n	s.mu.Lock()\n	defer s.mu.Unlock()\n	books, err := s.read()\n	if err != nil {\n		return err\n	}\n	var kept bytes.Buffer\n	found := false\n	for _, book := range books {\n		if book.ISBN == isbn {\n			found = true\n			continue\n		}\n		if err := json.NewEncoder(&kept).Encode(book); err != nil {\n			return err\n		}\n	}\n	if !found {\n		return ErrUnknown\n	}\n	return os.WriteFile(s.path, kept.Bytes(), 0o600)\n}\n',
      'README.md': [['adds one.', 'adds one, `shelf remove ISBN` removes it.']],
    }),
    good('feature', 'Handler: support POST /books', {
      [API]: [
        [
          '	return mux\n',
          '	mux.HandleFunc("POST /books", func(w http.ResponseWriter, r *http.Request) {\n		var book store.Book\n		if err := json.NewDecoder(r.Body).Decode(&book); err != nil {\n			http.Error(w, err.Error(), http.StatusBadRequest)\n			return\n		}\n		if err := books.Add(book); err != nil {\n			http.Error(w, err.Error(), http.StatusConflict)\n			return\n		}\n		w.WriteHeader(http.StatusCreated)\n	})\n	return mux\n',
        ],
      ],
    }),
    good('feature', 'serve: choose the port by $PORT', {
      'cmd/shelf/main.go': [
        [
          '		return http.ListenAndServe("localhost:8081", httpapi.Handler(books))',
          '		port := os.Getenv("PORT")\n		if port == "" {\n			port = "8081"\n		}\n		return http.ListenAndServe("localhost:"+port, httpapi.Handler(books))',
        ],
      ],
    }),
    good('bug fix', 'Scanner fails for titles longer than 64k', {
      [STORE]: [
        [
          '	lines := bufio.NewScanner(file)\n',
          '	lines := bufio.NewScanner(file)\n	lines.Buffer(make([]byte, 0, 64*1024), 4<<20)\n',
        ],
      ],
      'internal/store/store_test.go': [
        [
          'func TestDuplicate',
          'func TestLongTitle(t *testing.T) {\n	s := Open(filepath.Join(t.TempDir(), "books.jsonl"))\n	if err := s.Add(Book{ISBN: "1", Title: strings.Repeat("a", 100_000)}); err != nil {\n		t.Fatal(err)\n	}\n	if _, err := s.All(); err != nil {\n		t.Error(err)\n	}\n}\n\nfunc TestDuplicate',
        ],
        ['	"path/filepath"\n', '	"path/filepath"\n	"strings"\n'],
      ],
    }),
    good('bug fix', 'add: check the isbn before it is stored', {
      'cmd/shelf/main.go': [
        [
          '		return books.Add(store.Book{ISBN: args[1], Title: args[2]})',
          '		number, err := isbn.Parse(args[1])\n		if err != nil {\n			return err\n		}\n		return books.Add(store.Book{ISBN: number.String(), Title: args[2]})',
        ],
        [
          '	"example.org/shelf/internal/store"\n',
          '	"example.org/shelf/internal/store"\n	"example.org/shelf/isbn"\n',
        ],
      ],
    }),
    good(
      'interface',
      'Add should take a context as its first argument, like everything else we write; update callers and tests',
      {
        [STORE]: [
          [
            'func (s *Store) Add(book Book) error {\n',
            'func (s *Store) Add(ctx context.Context, book Book) error {\n	if err := ctx.Err(); err != nil {\n		return err\n	}\n',
          ],
          ['	"bufio"\n', '	"bufio"\n	"context"\n'],
        ],
        [API]: [
          ['	Add(store.Book) error\n', '	Add(context.Context, store.Book) error\n'],
          ['	"encoding/json"\n', '	"context"\n	"encoding/json"\n'],
        ],
        'cmd/shelf/main.go': [
          ['books.Add(store.Book', 'books.Add(context.Background(), store.Book'],
          ['	"fmt"\n	"net/http"\n', '	"context"\n	"fmt"\n	"net/http"\n'],
        ],
        'internal/httpapi/api_test.go': [
          [
            'func (b *books) Add(book store.Book) error  {',
            'func (b *books) Add(_ context.Context, book store.Book) error {',
          ],
          ['	"errors"\n', '	"context"\n	"errors"\n'],
        ],
        'internal/store/store_test.go': [
          ['	if err := s.Add(want); err', '	if err := s.Add(context.Background(), want); err'],
          [
            '	if err := s.Add(Book{ISBN: "1"}); err != nil',
            '	if err := s.Add(context.Background(), Book{ISBN: "1"}); err != nil',
          ],
          [
            '	if err := s.Add(Book{ISBN: "1"}); !errors',
            '	if err := s.Add(context.Background(), Book{ISBN: "1"}); !errors',
          ],
          ['	"errors"\n', '	"context"\n	"errors"\n'],
        ],
      },
    ),
    good('refactoring', 'split the big Add of store.go', {
      [STORE]: [
        [
          '	for _, other := range books {\n		if other.ISBN == book.ISBN {\n			return ErrDuplicate\n		}\n	}\n	line, err',
          '	if contains(books, book.ISBN) {\n		return ErrDuplicate\n	}\n	line, err',
        ],
        [
          '// Add appends a book.',
          'func contains(books []Book, isbn string) bool {\n	for _, book := range books {\n		if book.ISBN == isbn {\n			return true\n		}\n	}\n	return false\n}\n\n// Add appends a book.',
        ],
      ],
    }),
    good('generated file', 'a third kind of books: Digital', {
      'internal/store/kind.go': [['	Audio\n)', '	Audio\n	Digital\n)']],
      'internal/store/kind_string.go': [['{"Paper", "Audio"}', '{"Paper", "Audio", "Digital"}']],
    }),
    good('error handling', 'do not fail the listing when the file is locked, return 503 with Retry-After', {
      [API]: [
        [
          '		if err != nil {\n			slog.Error',
          '		if errors.Is(err, syscall.EAGAIN) {\n			w.Header().Set("Retry-After", "1")\n			http.Error(w, "busy", http.StatusServiceUnavailable)\n			return\n		}\n		if err != nil {\n			slog.Error',
        ],
        [
          '	"encoding/json"\n	"log/slog"\n	"net/http"\n',
          '	"encoding/json"\n	"errors"\n	"log/slog"\n	"net/http"\n	"syscall"\n',
        ],
      ],
    }),
    good('dependency', 'Use github.com/google/go-cmp in the store tests', {
      'go.mod': [['go 1.22\n', 'go 1.22\n\nrequire github.com/google/go-cmp v0.6.0\n']],
      'go.sum':
        'github.com/google/go-cmp v0.6.0 h1:ofyhxvXcZhMsU5ulbFiLKl/XBFqE1GSq7atu8tAmTRI=\ngithub.com/google/go-cmp v0.6.0/go.mod h1:17dUlkBOakJ0+DkrSSNjCkIjxS6bF9zb3elmeNGIjoY=\n',
      'internal/store/store_test.go': [
        [
          '	if len(got) != 1 || got[0] != want {\n		t.Errorf("got %v, want %v", got, want)\n	}\n',
          '	if diff := cmp.Diff([]Book{want}, got); diff != "" {\n		t.Errorf("books differ (-want +got):\\n%s", diff)\n	}\n',
        ],
        ['	"testing"\n)', '	"testing"\n\n	"github.com/google/go-cmp/cmp"\n)'],
      ],
    }),
    good('test', 'isbn: add a test case for a number with a wrong length of 14', {
      'isbn/isbn_test.go': [
        [
          '		{"short", "978", "", false},\n',
          '		{"short", "978", "", false},\n		{"long", "97831614841000", "", false},\n',
        ],
      ],
    }),
    good('documents', 'fix typos in comments', {
      [STORE]: [['// Open names the file; it need not exist.', '// Open names the file. The file need not exist.']],
    }),
    good('configuration', 'enable the linter bodyclose', {
      '.golangci.yml': [['    - errcheck\n', '    - bodyclose\n    - errcheck\n']],
    }),
    good('removal', 'the package cover is unused, delete it', { 'internal/cover/cover.go': null }),
  ],
};
