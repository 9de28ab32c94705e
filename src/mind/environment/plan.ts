/** A project's `environment`, checked and resolved: what to run, what it produces, and where that is mounted. */

import { isInside, SANDBOX_HOME } from '../sandbox/paths.ts';
import type { EnvironmentConfig } from './environment-config.ts';

/** Where every sandbox mounts the tree, and an environment's files outside it. */
export const TREE_PATH = '/workspace';
export const ENV_PATH = '/env';

export type EnvironmentPlan = {
  /** The command that installs; null if there is nothing to install. */
  readonly prepare: readonly [string, ...string[]] | null;
  readonly keyFiles: readonly string[];
  /** Relative to the tree, as git writes paths. */
  readonly inTree: readonly string[];
  /** Full paths at or below `/env`. */
  readonly outside: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Present and true: packages may run their own scripts. */
  readonly scripts?: true;
};

/** Variables that belong to the sandbox itself: a project that set them would change where programs and files are. */
const RESERVED = ['PATH', 'HOME', 'TMPDIR', 'PWD'];

/** Directories of a `node_modules` that tools write to while they run; a sandbox mounts temporary ones over them. */
const WRITTEN = ['.cache', '.vite', '.vite-temp', '.vitest', '.vitest-cache'];

export function environmentPlan(config: EnvironmentConfig): EnvironmentPlan {
  const outputs = config.outputs.map(plainPath);
  return {
    prepare: commandOf(config.prepare),
    keyFiles: [...new Set(config.key.map(plainPath))].sort(),
    inTree: outputs.filter((path) => !path.startsWith('/')),
    outside: outputs.filter((path) => path.startsWith('/')),
    env: config.env,
    ...(config.scripts === true ? { scripts: true as const } : {}),
  };
}

/** Lists the problems of the config, each as a sentence; the schema has checked its shape. */
export function environmentProblems(config: EnvironmentConfig): string[] {
  const outputs = config.outputs.map(plainPath);
  const overlapping = outputs.filter((path, index) =>
    outputs.some((other, at) => at !== index && isInside(other, path) && (other !== path || at < index)),
  );
  return [
    ...[...config.key, ...config.outputs].flatMap((path) =>
      isPlain(plainPath(path)) ? [] : [`environment: ${JSON.stringify(path)} is not a plain path`],
    ),
    ...outputs.flatMap((path) =>
      /^\.(git|supervisor)(\/|$)/.test(path) ? [`environment: ${path} cannot be an output`] : [],
    ),
    ...overlapping.map((path) => `environment: the output ${path} lies inside another one: name only the outer one`),
    ...(config.prepare !== undefined && outputs.length === 0
      ? ['environment: prepare has no outputs, so that its result would be lost: name them (such as node_modules)']
      : []),
    ...(config.prepare === undefined && outputs.length > 0
      ? ['environment: there are outputs, but no prepare command that makes them']
      : []),
    ...Object.keys(config.env).flatMap((name) =>
      RESERVED.includes(name) ? [`environment: ${name} belongs to the sandbox: remove it from env`] : [],
    ),
  ];
}

/** Where a sandbox mounts an output. */
export const shownAt = (output: string): string => (output.startsWith('/') ? output : `${TREE_PATH}/${output}`);

/** Paths in a sandbox, inside an output, that tools write to. */
export function writtenInside(output: string): string[] {
  return /(?:^|\/)node_modules$/.test(output) ? WRITTEN.map((name) => `${output}/${name}`) : [];
}

/** The variables of a preparation: nothing of the operator's. */
export function prepareVariables(
  plan: EnvironmentPlan,
  given: { readonly path: readonly string[]; readonly tools: Readonly<Record<string, string>> },
  caches: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    CI: 'true',
    // A package's own script is foreign code: a project that needs it says so.
    ...(plan.scripts ? {} : { npm_config_ignore_scripts: 'true', YARN_ENABLE_SCRIPTS: 'false' }),
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    PIP_NO_INPUT: '1',
    ...given.tools,
    ...caches,
    ...plan.env,
    HOME: SANDBOX_HOME,
    PATH: given.path.join(':'),
  };
}

const plainPath = (path: string): string => path.replace(/^(?:\.\/+)+/, '').replace(/(?<=[^/])\/+$/, '');

const isPlain = (path: string): boolean =>
  path !== '' && !/[\n\0]/.test(path) && !/(?:^|\/)\.{0,2}(?:\/|$)/.test(path.replace(/^\//, ''));

function commandOf(command: EnvironmentConfig['prepare']): EnvironmentPlan['prepare'] {
  if (command === undefined) return null;
  return typeof command === 'string' ? ['/bin/sh', '-c', command] : (command as [string, ...string[]]);
}
