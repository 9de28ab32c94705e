/** `environment:` of a config file: what to install before a project's programs run, and which services they need. */
import * as v from 'valibot';
import { command, insideFile, name, onceEach, pathProblem, variables, word } from '../fields/fields.ts';

const service = v.strictObject({
  name,
  command,
  /** Tried until it succeeds, before the gate starts. */
  ready: v.optional(command),
  env: v.optional(variables, {}),
});
export type ServiceConfig = v.InferOutput<typeof service>;

/** Where prepared files may lie: a path of the tree, or below the fixed mount `/env`. */
const output = v.pipe(
  word,
  v.rawCheck(({ dataset, addIssue }) => {
    const problem = dataset.typed ? outputProblem(dataset.value) : null;
    if (problem !== null) addIssue({ message: problem });
  }),
);

export const environmentConfig = v.strictObject({
  /** Absent: nothing has to be installed (for services alone). */
  prepare: v.optional(command),
  key: v.optional(v.array(insideFile), []),
  /** Whether packages may run their own scripts while they are installed. */
  scripts: v.optional(v.boolean()),
  /** Relative ones are mounted into the tree; `/env/…` lies outside it, at the same path everywhere. */
  outputs: v.optional(v.array(output), []),
  env: v.optional(variables, {}),
  services: v.optional(v.pipe(v.array(service), onceEach('service')), []),
});
export type EnvironmentConfig = v.InferOutput<typeof environmentConfig>;

function outputProblem(path: string): string | null {
  if (!path.startsWith('/')) {
    if (/^\.(git|supervisor)(\/|$)/i.test(path)) return `${JSON.stringify(path)} is no place for an output`;
    return (
      pathProblem(path)?.replace('relative to the repository', 'relative to the repository, or below /env') ?? null
    );
  }
  if (path !== '/env' && !path.startsWith('/env/'))
    return `${JSON.stringify(path)} must be relative to the repository, or below /env`;
  return path === '/env' ? null : pathProblem(path.slice('/env/'.length));
}
