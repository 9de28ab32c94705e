/** Which skill packs are useful here, and why. */
import type { ComposeService } from './compose.ts';
import { type Dependencies, firstUsed, type ToolChainName } from './dependencies.ts';
import { packageOf, UI_FRAMEWORKS } from './package-json.ts';
import { baseName } from './paths.ts';
import type { RepositoryFacts } from './repository-facts.ts';
import { kindOf } from './services.ts';

export type PackView = {
  readonly name: string;
  readonly roles: readonly string[];
  readonly suggested: boolean;
  /** The reason, or what is missing for it. */
  readonly reason: string;
};

type ProjectNeeds = {
  readonly found: RepositoryFacts;
  /** What the project itself needs, not only its tests. */
  readonly product: Dependencies;
  /** Including its development tools. */
  readonly all: Dependencies;
  readonly services: readonly ComposeService[];
};
type PackRule = {
  /** Returns why the pack is useful; null if it is not. */
  readonly look: (seen: ProjectNeeds) => string | null;
  readonly absent: string;
};

const RULES: Readonly<Record<string, PackRule>> = {
  web: {
    look: first(
      names({ node: UI_FRAMEWORKS }),
      files('*.vue or *.svelte', (name) => /\.(?:vue|svelte)$/.test(name)),
    ),
    absent: 'no react, vue, svelte or angular in a package.json',
  },
  backend: {
    look: first(
      ({ services }) => database(services),
      names({
        node: ['express', 'fastify', 'koa', '@nestjs/core', 'hono', '@hapi/hapi'],
        python: ['django', 'flask', 'fastapi', 'aiohttp', 'starlette', 'tornado'],
        go: ['github.com/gin-gonic/gin', 'github.com/labstack/echo', 'github.com/go-chi/chi', 'google.golang.org/grpc'],
        cargo: ['axum', 'actix-web', 'rocket', 'tonic'],
        jvm: ['spring-boot-starter-web', 'spring-boot-starter-parent', 'quarkus-rest', 'micronaut-http-server-netty'],
      }),
    ),
    absent: 'no web framework of a server, and no database in a compose file',
  },
  databases: {
    look: first(
      ({ services }) => database(services),
      names({
        node: [
          'pg',
          'postgres',
          'mysql2',
          'mongodb',
          'mongoose',
          'prisma',
          '@prisma/client',
          'typeorm',
          'drizzle-orm',
          'knex',
          'sequelize',
          'kysely',
        ],
        python: [
          'sqlalchemy',
          'psycopg',
          'psycopg2',
          'psycopg2-binary',
          'asyncpg',
          'pymongo',
          'alembic',
          'mysqlclient',
        ],
        go: ['gorm.io/gorm', 'github.com/jackc/pgx', 'github.com/lib/pq'],
        cargo: ['sqlx', 'diesel', 'sea-orm', 'tokio-postgres'],
        jvm: ['postgresql', 'hibernate-core', 'spring-boot-starter-data-jpa', 'mysql-connector-j', 'flyway-core'],
      }),
    ),
    absent: 'no database in a compose file, and none of the usual clients',
  },
  data: {
    look: names({
      python: ['pandas', 'apache-airflow', 'airflow', 'polars', 'pyspark', 'dbt-core', 'dagster', 'prefect', 'dask'],
    }),
    absent: 'no pandas or airflow in a requirements file or pyproject.toml',
  },
  smart_contracts: { look: files('*.sol', (name) => name.endsWith('.sol')), absent: 'no *.sol files' },
  rust: { look: files('Cargo.toml', (name) => name === 'Cargo.toml'), absent: 'no Cargo.toml' },
  go: { look: files('go.mod', (name) => name === 'go.mod'), absent: 'no go.mod' },
  types: {
    look: first(
      files('tsconfig.json', (name) => name === 'tsconfig.json'),
      names({ node: ['typescript'], python: ['mypy', 'pyright'] }, 'all'),
    ),
    absent: 'no tsconfig.json, mypy or pyright',
  },
  cli_tools: {
    look: first(
      ({ found }) => binOf(found),
      names({
        node: ['commander', 'yargs', 'oclif', '@oclif/core', 'citty'],
        python: ['click', 'typer'],
        go: ['github.com/spf13/cobra', 'github.com/urfave/cli'],
        cargo: ['clap'],
        jvm: ['picocli'],
      }),
    ),
    absent: 'no program in a package.json, pyproject.toml or Cargo.toml, and no library for command lines',
  },
  infrastructure: {
    look: files('', (name) =>
      /^(?:.+\.tf|Chart\.yaml|kustomization\.ya?ml|Pulumi\.yaml|Dockerfile|ansible\.cfg)$/.test(name),
    ),
    absent: 'no Dockerfile, Terraform, Helm, Kustomize or Pulumi',
  },
  security: {
    look: names({
      node: [
        'passport',
        'jsonwebtoken',
        'jose',
        'bcrypt',
        'bcryptjs',
        'argon2',
        'next-auth',
        'helmet',
        'oauth2-server',
      ],
      python: ['pyjwt', 'python-jose', 'passlib', 'bcrypt', 'argon2-cffi', 'cryptography', 'authlib'],
      go: ['github.com/golang-jwt/jwt', 'golang.org/x/crypto', 'golang.org/x/oauth2'],
      cargo: ['jsonwebtoken', 'argon2', 'ring', 'rustls'],
      jvm: ['spring-boot-starter-security', 'spring-security-core', 'jjwt-api'],
    }),
    absent: 'no library for logins, tokens or cryptography',
  },
  trading: {
    look: names({
      node: ['ccxt', '@alpacahq/alpaca-trade-api'],
      python: [
        'ccxt',
        'backtrader',
        'zipline-reloaded',
        'vectorbt',
        'ib-insync',
        'alpaca-py',
        'freqtrade',
        'backtesting',
      ],
    }),
    absent: 'no library for markets such as ccxt or backtrader',
  },
};

/** Useful ones first. `packs`: the roles of each installed pack. */
export function suggestPacks(seen: ProjectNeeds, packs: ReadonlyMap<string, readonly string[]>): PackView[] {
  const views = [...packs].map(([name, roles]): PackView => {
    const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
    const reason = rule?.look(seen) ?? null;
    return {
      name,
      roles,
      suggested: reason !== null,
      reason: reason ?? rule?.absent ?? 'no file shows whether it is useful',
    };
  });
  return views.sort((a, b) => Number(b.suggested) - Number(a.suggested) || (a.name < b.name ? -1 : 1));
}

function names(
  wanted: Partial<Record<ToolChainName, readonly string[]>>,
  scope: 'product' | 'all' = 'product',
): PackRule['look'] {
  return (seen) => {
    for (const [ecosystem, packages] of Object.entries(wanted)) {
      const used = firstUsed(seen[scope], ecosystem as ToolChainName, packages);
      if (used !== null) return `${used.path} names ${used.name}`;
    }
    return null;
  };
}

/** Deeper files are most likely fixtures. */
const DEEPEST = 7;

function files(what: string, isOne: (name: string) => boolean): PackRule['look'] {
  return ({ found }) => {
    const path = found.paths.find((one) => one.split('/').length <= DEEPEST && isOne(baseName(one)));
    if (path === undefined) return null;
    return what.startsWith('*') ? `there are ${what} files, such as ${path}` : `${path} is there`;
  };
}

function first(...looks: readonly PackRule['look'][]): PackRule['look'] {
  return (seen) => {
    for (const look of looks) {
      const reason = look(seen);
      if (reason !== null) return reason;
    }
    return null;
  };
}

function database(services: readonly ComposeService[]): string | null {
  const one = services.find(({ image }) => kindOf(image)?.isDatabase);
  return one === undefined ? null : `${one.path} has a service of ${kindOf(one.image)?.kind}`;
}

function binOf({ texts }: RepositoryFacts): string | null {
  for (const [path, text] of texts) {
    if (baseName(path) === 'package.json' && packageOf(text)?.hasBin === true) return `${path} has a program (bin)`;
    if (baseName(path) === 'pyproject.toml' && /^\[(?:project|tool\.poetry)\.scripts\]/m.test(text))
      return `${path} has a program (scripts)`;
    if (path === 'Cargo.toml' && /^\[\[bin\]\]/m.test(text)) return `${path} has a program ([[bin]])`;
  }
  return null;
}
