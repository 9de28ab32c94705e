/** A context strategy: which parts a packet gets, their order of need, and how much room each may take. Data only. */
import * as v from 'valibot';
import { name, text } from '../fields/fields.ts';
import { type ParsedFile, parseFile } from '../fields/parse-file.ts';
import { PART_KINDS } from '../fields/part-kinds.ts';
import { contextPattern, includePattern, list, oneOf, whole } from '../fields/role-fields.ts';
import type { FileProblem } from '../fields/yaml.ts';

const include = v.optional(list(includePattern), []);
const patterns = v.optional(list(contextPattern), []);

/** The largest share of the context's room for this kind of part. */
const share = v.optional(
  v.pipe(
    v.number('must be a number from 0.01 to 1'),
    v.minValue(0.01, 'must be from 0.01 to 1'),
    v.maxValue(1, 'must be from 0.01 to 1'),
  ),
  1,
);

/** Fields of all kinds that show files. */
const files = {
  share,
  max_files: v.optional(whole(1, 400)),
  /** A longer file is shown by excerpts. */
  tokens_per_file: v.optional(whole(100, 100_000)),
  /** The size of an excerpt, for a file that does not fit whole; absent for as much as fits. */
  excerpt_tokens: v.optional(whole(100, 100_000)),
  /** `whole`: a file that does not fit whole is left out. */
  show: v.optional(oneOf(['whole', 'excerpts'], 'way to show a file'), 'excerpts'),
};

export const strategy = v.strictObject({
  name,
  description: text(500),
  /** The budget it was designed for; the role's `token_budget` decides. */
  token_budget: whole(500, 1_000_000),
  /** Files that the task does not name are added only up to this many tokens of context. Absent: up to the budget. */
  enough_tokens: v.optional(whole(500, 1_000_000)),
  /** The strategy to use instead for a CLI that cannot open files. */
  without_file_tools: v.optional(name),
  include,
  exclude: patterns,
  always_include: patterns,
  /** Kinds of parts, most needed first; missing ones follow in their usual order. */
  priority_order: v.optional(v.array(oneOf(PART_KINDS, 'kind of part')), []),
  /** `likeliest`: searches only files that paths, history and imports suggest; see `ranking/likely.ts`. */
  look_into: v.optional(oneOf(['all', 'likeliest'], 'choice of files to look into'), 'all'),
  /** A kind that is missing here is not packed, unless the role asks for it by a variable. */
  parts: v.strictObject({
    target_file: v.optional(v.strictObject(files)),
    git_diff: v.optional(v.strictObject({ share, tokens_per_file: files.tokens_per_file })),
    changed_files: v.optional(v.strictObject(files)),
    interfaces: v.optional(v.strictObject(files)),
    imports: v.optional(
      v.strictObject({
        ...files,
        /** 1: what the targets import; 2: what those files import, too. */
        hops: v.optional(whole(1, 3), 1),
        /** Shows the files that import the targets and changed files, since a change may break them. */
        importers: v.optional(v.boolean(), false),
      }),
    ),
    tests: v.optional(v.strictObject(files)),
    knowledge: v.optional(v.strictObject(files)),
    /** The likeliest files by name, each with the reason. */
    paths: v.optional(v.strictObject({ share, max_files: v.optional(whole(1, 200), 40) })),
    related: v.optional(
      v.strictObject({
        ...files,
        /** The lowest score of a file, as a share of the best one's. */
        floor: v.optional(
          v.pipe(
            v.number('must be a number from 0 to 1'),
            v.minValue(0, 'must be from 0 to 1'),
            v.maxValue(1, 'must be from 0 to 1'),
          ),
          0,
        ),
      }),
    ),
    files: v.optional(v.strictObject(files)),
    map: v.optional(v.strictObject({ share, max_files: v.optional(whole(1, 2_000)) })),
    tree: v.optional(v.strictObject({ share, depth: v.optional(whole(1, 12), 3) })),
  }),
});
export type Strategy = v.InferOutput<typeof strategy>;

export function parseStrategy(yaml: string, file: string): ParsedFile<Strategy> | FileProblem {
  const parsed = parseFile(strategy, yaml, file);
  if (parsed.type === 'problem') return parsed;
  const expected = /([^/]+)\.yaml$/.exec(file)?.[1];
  if (expected !== undefined && parsed.value.name !== expected)
    return parsed.problem(['name'], `is ${parsed.value.name}, the file is ${expected}.yaml: both must be the same`);
  return parsed;
}
