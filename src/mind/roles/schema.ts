/**
 * The fields of a role file, declared once and used twice: `roleFile` for one file before the merge, where everything
 * is optional, and `wholeRole` for the merged chain. The published JSON Schema is made from the first.
 */
import * as v from 'valibot';
import { isId } from '../../kernel/ids.ts';
import { nearest } from '../../kernel/nearest.ts';
import type { AnswerKind } from '../answers/schemas.ts';
import { argv, name as id, text, word } from '../fields/fields.ts';
import { PART_KINDS } from '../fields/part-kinds.ts';
import { pathTo } from '../fields/path-to.ts';
import {
  contextPattern,
  durationText,
  includePattern,
  list,
  oneOf,
  pathPattern,
  roleName,
  sentence,
  whole,
} from '../fields/role-fields.ts';
import { CANARY } from '../gates/gate-config.ts';
import type { Tool } from '../workers/adapter.ts';

const KINDS = [
  ...(['brainstorm', 'document', 'plan', 'implementation', 'review', 'test', 'security', 'generic'] as const),
] as const;
export const ANSWER_KINDS = KINDS satisfies readonly AnswerKind[];
const TIERS = ['fast', 'standard', 'strong'] as const;

/** Our names for tools, and other names for the same ones. */
export const TOOLS: Readonly<Record<string, Tool>> = {
  read: 'read',
  edit: 'edit',
  shell: 'shell',
  web: 'web',
  read_file: 'read',
  edit_file: 'edit',
  write_file: 'edit',
  run_command: 'shell',
  web_search: 'web',
};

/** Some orders of parts name these; they always come first and are never left out. */
export const ALWAYS_FIRST = ['system_prompt', 'task', 'task_description'] as const;

const MAX_PROMPT = 20_000;

/** One of ours, or one of the role's own; merging the chain shows which ones exist. */
const tool = v.pipe(v.string(), v.check(isId, 'must be the name of a tool, such as read, edit, shell or web'));
const tools = v.pipe(
  v.record(
    v.pipe(
      v.string(),
      v.check((key) => isId(key), 'must be lower-case letters, digits, - or _ (at most 64)'),
      v.check((key) => TOOLS[key] === undefined, 'is a tool that Supervisor knows already: choose another name'),
    ),
    v.pipe(text(1_000), v.regex(/\S/, 'is empty: write a command line'), v.regex(/^[^\n]*$/, 'must be one line')),
    'must be commands by the names of tools, such as {run_backtest: "python -m backtest"}',
  ),
  v.maxEntries(50, 'has more than 50 entries'),
);
const partKind = oneOf([...PART_KINDS, ...ALWAYS_FIRST], 'kind of part');

const context = v.strictObject({
  strategy: v.optional(v.pipe(id, v.description('The context strategy, such as implementer_targeted.'))),
  include: v.optional(
    v.pipe(
      list(includePattern),
      v.description('The files to choose from: patterns of paths, and variables such as $TARGET.'),
    ),
  ),
  exclude: v.optional(v.pipe(list(contextPattern), v.description('Files that are never shown.'))),
  always_include: v.optional(
    v.pipe(
      list(contextPattern),
      v.description(
        'Files that are always shown, even over the budget. Keep the list short: every packet pays for it.',
      ),
    ),
  ),
  token_budget: v.optional(v.pipe(whole(1_000, 100_000), v.description('The token budget of the whole packet.'))),
  git_diff: v.optional(
    v.pipe(v.boolean('must be true or false'), v.description('Whether it sees the changes of the task so far.')),
  ),
  priority_order: v.optional(
    v.pipe(list(partKind), v.description("Kinds of parts, the most needed first; instead of the strategy's order.")),
  ),
});

/** Names are short; a text with spaces was meant as a command. */
const gateName = v.pipe(
  v.string(),
  v.check(isId, 'is no name of a gate; for a command of its own write {name: tests, command: "npm test"}'),
);

const gate = v.union(
  [
    gateName,
    v.strictObject({
      name: v.pipe(
        id,
        v.check((name) => !name.endsWith(CANARY), `must not end with ${CANARY}: canaries of other gates are called so`),
      ),
      command: v.optional(v.union([word, argv], 'must be a command line, or a list of words')),
      timeout: v.optional(durationText),
      blocking: v.optional(v.boolean('must be true or false')),
      on_fail: v.optional(oneOf(['retry', 'escalate', 'block', 'warn'], 'answer to a failed gate')),
    }),
  ],
  'must be the name of a gate, or {name, command, timeout, blocking, on_fail} (on_fail: retry, escalate, block or warn; it blocks unless blocking: false)',
);

const config = v.looseObject({
  max_retries: v.optional(whole(1, 10)),
  /** Seconds. */
  timeout: v.optional(whole(30, 3_600)),
  tdd: v.optional(v.boolean('must be true or false')),
  coverage_target: v.optional(whole(0, 100)),
  test_types: v.optional(list(id)),
  min_tests_per_component: v.optional(whole(0, 100)),
});

const FIELDS = {
  name: v.pipe(roleName, v.description('The name of the file without .yaml; may be left out.')),
  description: v.pipe(sentence(500), v.description('One line: what it does.')),
  extends: v.pipe(roleName, v.description('The role it builds on. Its own name: the one of the layer below.')),
  kind: v.pipe(
    oneOf(['change', 'answer'], 'kind'),
    v.description('change: it edits files. answer: it reads and answers only.'),
  ),
  answer: v.pipe(oneOf(ANSWER_KINDS, 'kind of answer'), v.description('The form of its answer.')),
  template: v.pipe(id, v.description('The prompt template, by name.')),
  cli: v.pipe(
    v.union(
      [id, v.pipe(v.array(id), v.minLength(1, 'is empty: name a CLI, or leave it out'), v.maxLength(20))],
      'must be the name of a CLI, or a list of names: the first choice and its fail-overs',
    ),
    v.description('The CLI that does it, and fail-overs. Absent: default_cli of the config.'),
  ),
  tier: v.pipe(oneOf(TIERS, 'tier'), v.description('The model size it needs: fast, standard or strong.')),
  strengths: v.pipe(list(text(100)), v.description('Strengths that its CLI should have; used to choose one.')),
  system_prompt: v.pipe(
    sentence(MAX_PROMPT),
    v.description('Instructions for the worker. They replace those of the parent, additions included.'),
  ),
  system_prompt_additions: v.pipe(
    sentence(MAX_PROMPT),
    v.description("Text after the parent's system prompt and its additions."),
  ),
  context: v.pipe(context, v.description('The files of the project that it sees.')),
  gates: v.pipe(
    list(gate),
    gatesOnce(),
    v.description('Further checks of its work: gates of the config by name, or its own.'),
  ),
  allowed_tools: v.pipe(
    list(tool),
    v.description('The only tools its CLI may use: read, edit, shell, web, and those of `tools`. Absent: all.'),
  ),
  tools: v.pipe(tools, v.description('Its own tools: commands by name, which its worker may run in the sandbox.')),
  continue: v.pipe(whole(0, 3), v.description('How often its worker may be asked again in one session.')),
  write_scope: v.pipe(list(pathPattern), v.description('The only paths it may change.')),
  grants: v.pipe(list(pathPattern), v.description('Protected paths, such as tests, that it may change.')),
  flags: v.pipe(
    list(word),
    v.description('Further arguments for its CLI. Only in your own roles, never in those of a project.'),
  ),
  config: v.pipe(config, v.description('Its own numbers and switches.')),
} as const;

export const FIELD_NAMES: readonly string[] = Object.keys(FIELDS);
export const REQUIRED = ['name', 'description', 'system_prompt'] as const;

type RoleFields = typeof FIELDS;
type Entries = { [K in keyof RoleFields]: v.OptionalSchema<RoleFields[K], undefined> };

const ENTRIES = Object.fromEntries(
  Object.entries(FIELDS).map(([key, schema]) => [key, v.optional(schema as v.GenericSchema)]),
) as unknown as Entries;

/** One file as it is written: types of all fields, no unknown ones except `x-…`, nothing required. */
export const roleFile = v.pipe(v.looseObject(ENTRIES), knownKeys());
export type RoleFile = v.InferOutput<typeof roleFile>;

const { extends: _extends, system_prompt_additions: _additions, ...own } = ENTRIES;

/** A merged chain: the same fields, with those that every role needs. */
export const wholeRole = v.pipe(
  v.looseObject({
    ...own,
    name: FIELDS.name,
    description: FIELDS.description,
    system_prompt: v.pipe(text(32 * MAX_PROMPT), v.regex(/\S/, 'is empty')),
  }),
  knownKeys(),
);
export type WholeRole = v.InferOutput<typeof wholeRole>;

export const isExtension = (key: string): boolean => key.startsWith('x-');

/** If one file had two of one name, the second would silently replace the first. */
function gatesOnce() {
  return v.rawCheck<v.InferOutput<typeof gate>[]>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const names = dataset.value.map((one) => (typeof one === 'string' ? one : one.name));
    for (const [index, name] of names.entries())
      if (names.indexOf(name) !== index)
        addIssue({
          message: `there are two gates named ${name}: rename or remove one`,
          path: pathTo(dataset.value, [index]),
        });
  });
}

/** A loose object that reports unknown keys itself: `strictObject` does not allow `x-…`. */
function knownKeys<T extends Record<string, unknown>>() {
  return v.rawCheck<T>(({ dataset, addIssue }) => {
    const value = dataset.value as Record<string, unknown>;
    for (const key of Object.keys(value)) {
      if (FIELD_NAMES.includes(key) || isExtension(key)) continue;
      const meant = nearest(key, FIELD_NAMES);
      addIssue({
        message: `unknown key${meant === null ? '' : `, did you mean \`${meant}\`?`} (known here: ${FIELD_NAMES.join(', ')}; keys of your own begin with x-)`,
        path: [{ type: 'unknown', origin: 'key', input: value, key, value: value[key] }],
      });
    }
  });
}
