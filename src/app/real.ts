/** Real work. What does it is loaded when it is first needed: a simulation, or a mistake in the input, never needs it. */
import type { RealHands, RealParts } from './open.ts';
import type { RealOptions } from './rooms.ts';

export const realHands =
  (options: RealOptions) =>
  async (parts: RealParts): Promise<RealHands> =>
    (await import('./rooms.ts')).openRooms(options)(parts);
