/** Go, Rust and Java: what their own tools fetch lies outside of the tree. */
import type { Found, Part } from './found.ts';

export function detectGo({ names, texts }: Found): Part | null {
  if (!texts.has('go.mod')) return null;
  return {
    tool: 'go',
    gate: { command: 'go test ./...', ids: 'go', reason: 'go.mod is there' },
    // Without go.sum there is nothing to fetch.
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

export function detectCargo({ names, texts }: Found): Part | null {
  const manifest = texts.get('Cargo.toml');
  if (manifest === undefined) return null;
  const locked = names.has('Cargo.lock');
  const needed = /^[ \t]*\[(?:[^\]\n]*\.)?(?:dev-|build-)?dependencies[\].]/m.test(manifest);
  return {
    tool: 'cargo',
    gate: {
      command: `cargo test --offline ${locked ? '--locked ' : ''}--no-fail-fast`,
      ids: 'cargo',
      reason: 'Cargo.toml is there',
    },
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

export function detectMaven({ texts }: Found): Part | null {
  if (!texts.has('pom.xml')) return null;
  const local = '-Dmaven.repo.local=/env/m2';
  return {
    tool: 'maven',
    gate: { command: `mvn -B -o ${local} test`, ids: null, reason: 'pom.xml is there' },
    environment: {
      prepare: `mvn -B ${local} dependency:go-offline`,
      key: ['pom.xml'],
      outputs: ['/env/m2'],
      env: {},
      reason: 'pom.xml is there: dependencies are fetched by maven',
    },
    notes: ['maven resolves some plugins only when it uses them: if the gate misses one, fetch it in `prepare` too'],
  };
}
