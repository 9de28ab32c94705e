/** `clis:` of a config file: settings of built-in CLIs, more CLIs of their kind, and people's own commands. */
import * as v from 'valibot';
import { hostAndPort } from '../egress/egress-config.ts';
import { upstreamOf } from '../egress/policy.ts';
import { argv, name, text, variable, word } from '../fields/fields.ts';
import { pathTo } from '../fields/path-to.ts';
import type { FieldPath } from '../fields/yaml.ts';
import type { Adapter } from './adapter.ts';
import { ADAPTERS } from './adapters/index.ts';

const url = v.pipe(
  word,
  v.check(
    (text) => upstreamOf(text) !== null,
    'must be an address of http or https, such as https://api.example.com/v1',
  ),
);

const model = v.pipe(word, v.regex(/^[A-Za-z0-9][\w.:/@+[\]-]{0,199}$/, 'must be the name of a model'));

const cliFields = v.strictObject({
  /** The built-in adapter for it; absent: the one of the same name, or none for an own command. */
  adapter: v.optional(name),
  /** Found on the operator's PATH, or absolute. For a built-in CLI: its place, and more arguments. */
  command: v.optional(argv),
  prompt: v.optional(v.picklist(['stdin', 'argument'])),
  output: v.optional(v.picklist(['text', 'json', 'jsonl'])),
  /** For json and jsonl: a JSON pointer to the final text. */
  text_pointer: v.optional(v.pipe(word, v.regex(/^(\/[^/]*)+$/, 'must be a JSON pointer such as /result'))),
  /** Passed through from the operator's environment, by name. */
  env: v.optional(v.array(variable)),
  /** Never mistaken for a flag, wherever a CLI takes it. */
  model: v.optional(model),
  /** The models of a role's tiers. */
  models: v.optional(
    v.strictObject({ fast: v.optional(model), standard: v.optional(model), strong: v.optional(model) }),
  ),
  /** Its strengths; among CLIs that could do a step, those that share most words with its role come first. */
  strengths: v.optional(v.array(text(100))),
  effort: v.optional(v.picklist(['low', 'medium', 'high'])),
  /** Replaces the vendor's address for model calls; the proxy adds the key. */
  base_url: v.optional(url),
  /** Which provider to use, for CLIs with several. */
  provider: v.optional(name),
  /** The variable that holds its key, if not the usual one. */
  key: v.optional(variable),
  /** A key that stays outside the sandbox, or a copy of the CLI's own login inside it; absent: whatever exists. */
  auth: v.optional(v.picklist(['key', 'login'])),
  /** More hosts that it may reach, `host:port`. */
  egress: v.optional(v.array(hostAndPort)),
});
export type CliConfig = v.InferOutput<typeof cliFields>;
/** The size of model wanted; the operator says which model that is for a CLI. */
export type Tier = keyof NonNullable<CliConfig['models']>;

/** A person's own command, which has no adapter. */
export type DeclaredCli = {
  readonly type: 'declared';
  readonly command: readonly string[];
  readonly prompt: 'stdin' | 'argument';
  readonly output: 'text' | 'json' | 'jsonl';
  readonly text_pointer?: string;
  readonly env: readonly string[];
  readonly strengths?: readonly string[];
};
export type AdapterCli = { readonly type: 'adapter'; readonly adapter: string } & Pick<
  CliConfig,
  'command' | 'env' | 'model' | 'models' | 'strengths' | 'effort' | 'base_url' | 'provider' | 'key' | 'auth' | 'egress'
>;
/** The form that a run uses. */
export type CliSettings = DeclaredCli | AdapterCli;

export const clisConfig = v.pipe(
  v.record(v.pipe(name, v.notValue('scripted', 'is built in: choose another name')), cliFields),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    for (const [cli, written] of Object.entries(dataset.value)) {
      for (const { field, message } of problems(cli, written))
        addIssue({ message, path: pathTo(dataset.value, [cli, ...field]) });
    }
  }),
);

const isBuiltIn = (cli: string): boolean => Object.hasOwn(ADAPTERS, cli);
export const adapterOf = (adapter: string): Adapter | undefined => (isBuiltIn(adapter) ? ADAPTERS[adapter] : undefined);

/** CLIs that work without any config. */
export const READY_NAMES: readonly string[] = Object.keys(ADAPTERS).filter((one) => one !== 'acp' && one !== 'http');

type CliConfigProblem = { readonly field: FieldPath; readonly message: string };

function problems(cli: string, written: CliConfig): CliConfigProblem[] {
  const named = written.adapter ?? (isBuiltIn(cli) ? cli : null);
  const [program] = written.command ?? [];
  const relative =
    program?.includes('/') === true && !program.startsWith('/')
      ? [{ field: ['command', 0], message: 'must be a bare name, which is looked for on PATH, or an absolute path' }]
      : [];
  if (named === null) return [...relative, ...declaredProblems(written)];
  const adapter = adapterOf(named);
  if (adapter === undefined)
    return [
      { field: ['adapter'], message: `there is no adapter ${named} (known: ${Object.keys(ADAPTERS).join(', ')})` },
    ];
  return [...relative, ...adapterProblems(adapter, written)];
}

function declaredProblems(written: CliConfig): CliConfigProblem[] {
  const { output = 'text', text_pointer } = written;
  const extra = (['model', 'models', 'effort', 'base_url', 'provider', 'key', 'auth', 'egress'] as const).find(
    (field) => written[field] !== undefined,
  );
  return [
    ...(written.command === undefined ? [{ field: [], message: 'needs a command: the words that start it' }] : []),
    ...(extra === undefined
      ? []
      : [{ field: [extra], message: 'is only for a built-in adapter: name it with `adapter`, or leave this out' }]),
    ...(output === 'text' && text_pointer !== undefined
      ? [
          {
            field: ['text_pointer'],
            message: 'is only for output json or jsonl: plain text has no places to point at',
          },
        ]
      : []),
    ...(output !== 'text' && text_pointer === undefined
      ? [{ field: ['output'], message: `${output} needs text_pointer: where in it the final text is, such as /result` }]
      : []),
  ];
}

function adapterProblems({ name: adapter, can, providers, login }: Adapter, written: CliConfig): CliConfigProblem[] {
  const found: CliConfigProblem[] = [];
  for (const field of ['prompt', 'output', 'text_pointer'] as const)
    if (written[field] !== undefined)
      found.push({ field: [field], message: `is not for ${adapter}: its protocol is known` });
  for (const field of ['model', 'models'] as const)
    if (written[field] !== undefined && !can.model)
      found.push({ field: [field], message: `${adapter} takes no model` });
  if (written.effort !== undefined && !can.effort)
    found.push({ field: ['effort'], message: `${adapter} takes no effort: leave it out` });
  if (written.auth === 'login' && login === null)
    found.push({ field: ['auth'], message: `no login of ${adapter} can be copied: use a key` });
  if (adapter === 'acp' && written.command === undefined)
    found.push({ field: [], message: 'needs a command: the agent to start, such as [gemini, --acp]' });
  if (adapter === 'http' && (written.base_url === undefined || written.model === undefined))
    found.push({ field: [], message: 'needs base_url and model: the server and the model' });
  if (written.provider !== undefined && !providers.some((one) => one.name === written.provider))
    found.push({
      field: ['provider'],
      message: `${adapter} has no provider ${written.provider} (known: ${providers.map((one) => one.name).join(', ')})`,
    });
  return found;
}

/** Only a user's own file may say where keys go, which hosts are allowed, and which arguments a CLI gets. */
const PERSONAL = ['command', 'base_url', 'key', 'auth', 'egress', 'provider', 'env'] as const;

/** What a project's file says about built-in CLIs although only a user may: where, and what to do. */
export function overreach(
  clis: Readonly<Record<string, CliConfig>>,
): { readonly path: FieldPath; readonly message: string } | null {
  for (const [cli, written] of Object.entries(clis)) {
    const adapter = written.adapter ?? (isBuiltIn(cli) ? cli : null);
    if (adapter === null) continue;
    const shadows = isBuiltIn(cli) && adapter !== cli;
    const field = shadows ? 'adapter' : PERSONAL.find((one) => written[one] !== undefined);
    if (field !== undefined)
      return {
        path: ['clis', cli, field],
        message: `a project may not set this for ${cli}: write it into your own ~/.supervisor/config.yaml`,
      };
  }
  return null;
}

/** Both layers combined: for a built-in CLI the user's value stays if the project sets none. */
export function mergedClis(
  user: Readonly<Record<string, CliConfig>>,
  project: Readonly<Record<string, CliConfig>>,
): Record<string, CliSettings> {
  const names = new Set([...Object.keys(user), ...Object.keys(project)]);
  return Object.fromEntries(
    [...names].map((cli) => {
      const [below, above] = [own(user, cli), own(project, cli)];
      const adapter = (one: CliConfig | undefined) => one?.adapter ?? (isBuiltIn(cli) ? cli : null);
      const merges =
        below !== undefined && above !== undefined && adapter(below) !== null && adapter(below) === adapter(above);
      return [cli, settingsOf(cli, merges ? { ...below, ...above } : (above ?? below ?? {}))];
    }),
  );
}

/** A CLI by name, including a built-in one that no file mentions. */
export function cliNamed(clis: Readonly<Record<string, CliSettings>>, cli: string): CliSettings | null {
  if (Object.hasOwn(clis, cli)) return clis[cli] ?? null;
  return READY_NAMES.includes(cli) ? { type: 'adapter', adapter: cli } : null;
}

/** The model requested from a CLI for a role; null for its own choice. */
export const modelOf = (cli: CliSettings | null, { tier }: { readonly tier: Tier | null }): string | null =>
  cli?.type === 'adapter' ? ((tier === null ? undefined : cli.models?.[tier]) ?? cli.model ?? null) : null;

function settingsOf(cli: string, written: CliConfig): CliSettings {
  const named = written.adapter ?? (isBuiltIn(cli) ? cli : null);
  const { command, prompt, output, text_pointer, env, adapter: _, ...rest } = written;
  const { strengths } = rest;
  if (named !== null)
    return {
      type: 'adapter',
      adapter: named,
      ...rest,
      ...(command === undefined ? {} : { command }),
      ...(env === undefined ? {} : { env }),
    };
  return {
    type: 'declared',
    command: command ?? [],
    prompt: prompt ?? 'stdin',
    output: output ?? 'text',
    ...(text_pointer === undefined ? {} : { text_pointer }),
    env: env ?? [],
    ...(strengths === undefined ? {} : { strengths }),
  };
}

const own = (clis: Readonly<Record<string, CliConfig>>, cli: string): CliConfig | undefined =>
  Object.hasOwn(clis, cli) ? clis[cli] : undefined;
