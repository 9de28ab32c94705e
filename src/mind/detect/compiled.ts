/** Go and Rust: their tools download to places outside the tree. */
import type { RepositoryFacts, ToolChainFacts } from './repository-facts.ts';

export function detectGo({ names, texts }: RepositoryFacts): ToolChainFacts | null {
  if (!texts.has('go.mod')) return null;
  const linted = [...names].find((name) => /^\.golangci\.(?:ya?ml|toml|json)$/.test(name));
  return {
    tool: 'go',
    gate: { command: 'go test ./...', ids: 'go', reason: 'go.mod is there' },
    make: { prefix: '' },
    checks: [
      linted === undefined
        ? { name: 'lint', command: 'go vet ./...', reason: 'it comes with Go', sure: false }
        : { name: 'lint', command: 'golangci-lint run', reason: `${linted} is there`, sure: false },
      { name: 'format', command: 'test -z "$(gofmt -l .)"', reason: 'gofmt comes with Go', sure: false },
      { name: 'coverage', command: 'go test -cover ./...', reason: 'it comes with Go', sure: false },
    ],
    // Without go.sum there is nothing to download.
    environment: names.has('go.sum')
      ? {
          prepare: 'go mod download',
          key: ['go.mod', 'go.sum'],
          outputs: ['/env/go'],
          env: { GOMODCACHE: '/env/go' },
          reason: 'go.sum is there: modules are downloaded by go',
        }
      : null,
    notes: [],
  };
}

export function detectCargo({ names, texts }: RepositoryFacts): ToolChainFacts | null {
  const manifest = texts.get('Cargo.toml');
  if (manifest === undefined) return null;
  const locked = names.has('Cargo.lock');
  const members = [...texts].filter(([path]) => path.endsWith('/Cargo.toml')).map(([, text]) => text);
  const isWorkspace = /^[ \t]*\[workspace\]/m.test(manifest);
  const needed = [manifest, ...(isWorkspace ? members : [])].some(hasDependencies);
  const scope = isWorkspace ? '--workspace ' : '';
  return {
    tool: 'cargo',
    gate: {
      command: `cargo test --offline ${locked ? '--locked ' : ''}${scope}--no-fail-fast`,
      ids: 'cargo',
      reason: `Cargo.toml is there${isWorkspace ? ', with a workspace' : ''}`,
    },
    make: { prefix: '' },
    checks: [
      {
        name: 'lint',
        command: `cargo clippy --offline ${scope}--all-targets -- -D warnings`,
        reason: 'clippy is a part of Rust that has to be installed',
        sure: false,
      },
      {
        name: 'format',
        command: 'cargo fmt --all --check',
        reason: 'rustfmt is a part of Rust that has to be installed',
        sure: false,
      },
    ],
    environment:
      locked && needed
        ? {
            prepare: 'cargo fetch --locked',
            key: ['Cargo.toml', 'Cargo.lock'],
            outputs: ['/env/cargo'],
            env: { CARGO_HOME: '/env/cargo' },
            reason: 'Cargo.lock is there: crates are fetched by cargo',
          }
        : null,
    notes:
      needed && !locked
        ? ['there is no Cargo.lock: make one (`cargo generate-lockfile`), then add an environment']
        : [],
  };
}

const hasDependencies = (manifest: string): boolean =>
  /^[ \t]*\[(?:[^\]\n]*\.)?(?:dev-|build-)?dependencies[\].]/m.test(manifest);
