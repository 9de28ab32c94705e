/**
 * Which config counts: the project's before the user's, the user's before the built-in one. Command-line flags override
 * them.
 */
import { nearest } from '../../kernel/nearest.ts';
import { type Limits, resolveLimits } from '../domain/limits.ts';
import { allowedPlaces } from '../egress/egress-config.ts';
import type { EnvironmentConfig } from '../environment/environment-config.ts';
import type { FieldPath } from '../fields/yaml.ts';
import { mergedClis, overreach, READY_NAMES } from '../workers/cli-config.ts';
import { gitOf } from './git-config.ts';
import type { Config, Settings } from './project-config.ts';
import { resourcesOf } from './sandbox-limits.ts';
import { tighten } from './tighten.ts';

type Layers = {
  /** The config of a trusted project. */
  readonly project?: Config;
  readonly user?: Config;
};

/** Used if no CLI is named; it needs no model. */
const BUILT_IN_CLI = 'scripted';

/** The usual files with instructions for agents; `knowledge.paths` adds more. */
const KNOWLEDGE = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', 'docs/knowledge/**'];

export function cascade({ project = {}, user = {} }: Layers): {
  readonly settings: Settings;
  readonly limits: Limits;
} {
  const layers = [user, project];
  const settings: Settings = {
    gates: named(layers.flatMap((layer) => layer.gates ?? [])),
    environment: layers.reduce<EnvironmentConfig | null>(
      (below, { environment }) => (environment === undefined ? below : mergeEnvironments(below, environment)),
      null,
    ),
    clis: mergedClis(user.clis ?? {}, project.clis ?? {}),
    // One choice with its fail-overs, not a collection: appending would add a CLI that the nearer config left out.
    defaultCli: project.default_cli ?? user.default_cli ?? [BUILT_IN_CLI],
    testPaths: once(layers.flatMap((layer) => layer.tests?.paths ?? [])),
    protect: once(layers.flatMap((layer) => layer.protect ?? [])),
    sandbox: {
      worker: resourcesOf(user.sandbox?.worker, project.sandbox?.worker),
      gate: resourcesOf(user.sandbox?.gate, project.sandbox?.gate),
      backend: user.sandbox?.backend ?? 'bubblewrap',
      image: user.sandbox?.image ?? null,
    },
    egress: {
      worker: allowedPlaces(user.egress?.worker, project.egress?.worker),
      prepare: allowedPlaces(user.egress?.prepare, project.egress?.prepare),
    },
    packs: once(layers.flatMap((layer) => layer.packs ?? [])),
    knowledge: once([...KNOWLEDGE, ...layers.flatMap((layer) => layer.knowledge?.paths ?? [])]),
    ...(user.git === undefined && project.git === undefined ? {} : { git: gitOf(user.git, project.git) }),
  };
  return { settings, limits: resolveLimits(tighten(user.limits ?? {}, project.limits ?? {})) };
}

type ConfigMisfit = { readonly path: FieldPath; readonly message: string };

/** A layer's mention of CLIs that neither it nor a lower layer declares: where, and what to do. */
export function unknownCli(layer: Config, below: Config = {}): ConfigMisfit | null {
  const known = [BUILT_IN_CLI, ...new Set([...READY_NAMES, ...Object.keys({ ...below.clis, ...layer.clis })])];
  const index = (layer.default_cli ?? []).findIndex((cli) => !known.includes(cli));
  const cli = layer.default_cli?.[index];
  if (cli === undefined) return null;
  const meant = nearest(cli, known);
  const message = `there is no CLI ${cli}${meant === null ? '' : `, did you mean ${meant}?`} (known: ${known.join(', ')}). Declare it under \`clis\``;
  return { path: ['default_cli', index], message };
}

/** Keys that only a user's own config may have. */
export function notForProjects(config: Config): ConfigMisfit | null {
  const { clis = {}, sandbox = {}, secrets, notify, on_incident, allowed_signers } = config;
  if (allowed_signers !== undefined)
    return {
      path: ['allowed_signers'],
      message: 'a project may not set the keys that approve: write it into your own ~/.supervisor/config.yaml',
    };
  if (on_incident !== undefined)
    return {
      path: ['on_incident'],
      message: 'a project may not set when it is halted: write it into your own ~/.supervisor/config.yaml',
    };
  if (notify !== undefined)
    return {
      path: ['notify'],
      message: 'a project may not set where messages go: write it into your own ~/.supervisor/config.yaml',
    };
  if (secrets !== undefined)
    return {
      path: ['secrets'],
      message: 'a project may not set what is no secret: write it into your own ~/.supervisor/config.yaml',
    };
  const field = (['backend', 'image'] as const).find((one) => sandbox[one] !== undefined);
  if (field === undefined) return overreach(clis);
  return {
    path: ['sandbox', field],
    message: 'a project may not choose its sandbox: write it into your own ~/.supervisor/config.yaml',
  };
}

function mergeEnvironments(below: EnvironmentConfig | null, above: EnvironmentConfig): EnvironmentConfig {
  if (below === null) return above;
  return {
    ...below,
    ...above,
    key: once([...below.key, ...above.key]),
    outputs: once([...below.outputs, ...above.outputs]),
    env: { ...below.env, ...above.env },
    services: named([...below.services, ...above.services]),
  };
}

/** One entry per name, the nearest; in the place where the name first appeared. */
function named<T extends { readonly name: string }>(all: readonly T[]): T[] {
  return [...new Map(all.map((one) => [one.name, one])).values()];
}

const once = (paths: readonly string[]): string[] => [...new Set(paths)];
