/** The sandbox that the operator chose: bubblewrap, or a container of Docker or Podman. */
import type { Sandbox } from '../engine/ports/sandbox.ts';
import { BubblewrapSandbox } from '../hands/sandbox/bubblewrap/backend.ts';
import { ContainerSandbox } from '../hands/sandbox/container/backend.ts';
import type { Settings } from '../mind/config/project-config.ts';
import { defaultImage } from '../mind/sandbox/container-argv.ts';
import { ENGINE_VARIABLES } from '../mind/sandbox/container-engine.ts';
import { packageVersion } from '../os/files/package-root.ts';
import type { Environment } from './config/environment.ts';

export type ChosenSandbox = {
  readonly sandbox: Sandbox;
  /** Part of cache keys: a result from one kind of sandbox says nothing about another. */
  readonly name: string;
  close(): Promise<void>;
};

type SandboxPlace = { readonly runDir: string; readonly hidden: readonly string[] };

export function openSandbox(
  { backend, image }: Settings['sandbox'],
  environment: Environment,
  place: SandboxPlace,
): ChosenSandbox {
  if (backend === 'bubblewrap') {
    const sandbox = new BubblewrapSandbox(place);
    return { sandbox, name: backend, close: () => sandbox.close() };
  }
  const chosen = image ?? defaultImage(packageVersion());
  const env = Object.fromEntries(
    ENGINE_VARIABLES.flatMap((name) => {
      const value = environment.variable(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const { runDir, hidden } = place;
  const sandbox = new ContainerSandbox({ engine: backend, image: chosen, runDir, hidden, env });
  return { sandbox, name: `${backend} ${chosen}`, close: async () => {} };
}
