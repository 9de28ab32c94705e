/** Loads the files people write; a bad one stops everything before anything is started. */
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { nearest } from '../../kernel/nearest.ts';
import { type Limits, resolveLimits } from '../../mind/config/limits.ts';
import { type FileSchema, type FileValue, parseFile, problemText } from '../../mind/config/parse-file.ts';
import { PLAIN_SCRIPT, type Script, script } from '../../mind/config/script.ts';
import { userConfig } from '../../mind/config/user-config.ts';
import { checkWorkflow, type WorkflowDefinition, workflow } from '../../mind/workflows/workflow.ts';
import { packageRoot } from '../../os/files/package-root.ts';
import { readTextFile } from '../../os/files/text-file.ts';
import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';

export function loadLimits(environment: Environment): Limits {
  // Only a file that is not there means no config; a link that leads nowhere is a mistake to be told.
  if (lstatSync(environment.userConfig, { throwIfNoEntry: false }) === undefined) return resolveLimits({});
  return resolveLimits(load(userConfig, environment.userConfig).limits ?? {});
}

export function loadScript(path: string | undefined): Script {
  return path === undefined ? PLAIN_SCRIPT : load(script, path);
}

/** By name from the shipped ones, or by path. */
export function loadWorkflow(named: string, limits: Limits): { definition: WorkflowDefinition; file: string } {
  const file = /[./]/.test(named) ? named : shipped(named);
  const definition = load(workflow, file);
  const problem = checkWorkflow(definition, limits.max_steps);
  if (problem !== null) throw new ConfigError(`${file}: ${problem.message}`);
  return { definition, file };
}

function shipped(name: string): string {
  const folder = join(packageRoot(), 'templates', 'workflows');
  const file = join(folder, `${name}.yaml`);
  if (existsSync(file)) return file;
  const names = readdirSync(folder).map((entry) => entry.replace(/\.yaml$/, ''));
  const meant = nearest(name, names);
  throw new ConfigError(
    `there is no workflow ${JSON.stringify(name)}${meant === null ? '' : `, did you mean ${meant}?`} (known: ${names.join(', ')}; a file is named by its path)`,
  );
}

function load<S extends FileSchema>(schema: S, path: string): FileValue<S> {
  const text = readTextFile(path);
  if (typeof text !== 'string') throw new ConfigError(text.message);
  const parsed = parseFile(schema, text, path);
  if (parsed.type === 'problem') throw new ConfigError(problemText(parsed));
  return parsed.value;
}
