/** Real work. What does it is loaded when it is first needed: a simulation, or a mistake in the input, never needs it. */
import type { Environment } from './config/environment.ts';
import type { Loaded } from './config/files.ts';
import type { RealHands, RealParts } from './open.ts';
import type { ProjectAt } from './open-store.ts';

export type RealOptions = {
  readonly environment: Environment;
  readonly project: ProjectAt;
  /** Read when real work is first needed; throws when it may not be used. */
  readonly loaded: () => Pick<Loaded, 'settings' | 'told'>;
  /** The operator's checkout, if there is one: what is in it is looked through faster. */
  readonly checkout?: string;
  /** The operator's word: the preparation of the environment may use the network. */
  readonly network?: boolean;
};

export const realHands =
  (options: RealOptions) =>
  async (parts: RealParts): Promise<RealHands> =>
    (await import('./rooms.ts')).openRooms(options)(parts);
