/**
 * Programs that can replace the containers of a compose file: from this machine, beside a gate, inside its sandboxes.
 */
import type { ComposeService } from './compose.ts';

export type SuggestedService = {
  readonly name: string;
  readonly kind: string;
  /** The command that starts it; null if a person has to provide it. */
  readonly command: string | null;
  readonly ready: string | null;
  readonly reason: string;
};

type KnownService = {
  readonly kind: string;
  readonly images: RegExp;
  readonly isDatabase?: true;
  readonly command?: string;
  readonly ready?: string;
};

const KNOWN: readonly KnownService[] = [
  {
    kind: 'postgres',
    images: /^(?:postgres|postgresql|postgis|timescaledb|timescaledb-ha|pgvector)$/,
    isDatabase: true,
    command:
      'initdb -D /tmp/postgres -U postgres -A trust && exec postgres -D /tmp/postgres -k /tmp -c listen_addresses=127.0.0.1',
    ready: 'pg_isready -h 127.0.0.1 -U postgres',
  },
  {
    kind: 'mysql',
    images: /^(?:mysql|mysql-server|percona|percona-server)$/,
    isDatabase: true,
    command:
      'mysqld --initialize-insecure --datadir=/tmp/mysql && exec mysqld --datadir=/tmp/mysql --socket=/tmp/mysql.sock --bind-address=127.0.0.1',
    ready: 'mysqladmin -h 127.0.0.1 -u root ping',
  },
  {
    kind: 'mariadb',
    images: /^mariadb$/,
    isDatabase: true,
    command:
      'mariadb-install-db --datadir=/tmp/mariadb --auth-root-authentication-method=normal && exec mariadbd --datadir=/tmp/mariadb --socket=/tmp/mariadb.sock --bind-address=127.0.0.1',
    ready: 'mariadb-admin -h 127.0.0.1 -u root ping',
  },
  {
    kind: 'redis',
    images: /^(?:redis|redis-stack|redis-stack-server)$/,
    command: "redis-server --bind 127.0.0.1 --save '' --dir /tmp",
    ready: 'redis-cli ping',
  },
  {
    kind: 'valkey',
    images: /^valkey$/,
    command: "valkey-server --bind 127.0.0.1 --save '' --dir /tmp",
    ready: 'valkey-cli ping',
  },
  {
    kind: 'mongo',
    images: /^(?:mongo|mongodb|mongodb-community-server)$/,
    isDatabase: true,
    command: 'mkdir -p /tmp/mongo && exec mongod --dbpath /tmp/mongo --bind_ip 127.0.0.1',
    ready: "mongosh --quiet --eval 'db.runCommand({ping: 1})'",
  },
  { kind: 'memcached', images: /^memcached$/, command: 'memcached -l 127.0.0.1' },
  { kind: 'nats', images: /^nats$/, command: 'nats-server -a 127.0.0.1' },
  { kind: 'rabbitmq', images: /^rabbitmq$/ },
  { kind: 'kafka', images: /^(?:kafka|cp-kafka|redpanda)$/ },
  { kind: 'elasticsearch', images: /^(?:elasticsearch|opensearch)$/, isDatabase: true },
  { kind: 'clickhouse', images: /^(?:clickhouse|clickhouse-server)$/, isDatabase: true },
  { kind: 'cassandra', images: /^(?:cassandra|scylla)$/, isDatabase: true },
  { kind: 'sql server', images: /^(?:mssql|azure-sql-edge)$/, isDatabase: true },
  { kind: 'cockroach', images: /^cockroach$/, isDatabase: true },
  {
    kind: 'minio',
    images: /^minio$/,
    command: 'mkdir -p /tmp/minio && exec minio server --address 127.0.0.1:9000 /tmp/minio',
  },
];

export function kindOf(image: string): { readonly kind: string; readonly isDatabase: boolean } | null {
  const known = knownBy(image);
  return known === undefined ? null : { kind: known.kind, isDatabase: known.isDatabase === true };
}

/** One of each kind and name; images of the project itself are no services. */
export function suggestServices(services: readonly ComposeService[]): SuggestedService[] {
  const taken = new Set<string>();
  return services.flatMap(({ name, image, path }) => {
    const known = knownBy(image);
    const id =
      name
        .toLowerCase()
        .replaceAll(/[^a-z0-9_-]/g, '-')
        .replace(/^[-_]+/, '')
        .slice(0, 64) ||
      known?.kind ||
      '';
    if (known === undefined || taken.has(id) || taken.has(`kind ${known.kind}`)) return [];
    taken.add(id);
    taken.add(`kind ${known.kind}`);
    return [
      {
        name: id,
        kind: known.kind,
        command: known.command ?? null,
        ready: known.ready ?? null,
        reason: `${path} has a service ${name} of ${known.kind}`,
      },
    ];
  });
}

/** `registry/owner/name:tag@digest` is identified by its last name. */
const knownBy = (image: string): KnownService | undefined => {
  const name = image.replace(/@.*$/, '').replace(/^.*\//, '').replace(/:.*$/, '').toLowerCase();
  return KNOWN.find(({ images }) => images.test(name));
};
