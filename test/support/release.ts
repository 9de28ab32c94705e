/** Programs of workers and gates that wait for a word of the test instead of a number of seconds. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, type World } from './cli.ts';
import { list } from './traces.ts';

/** For a script: it goes on when it is released, and leaves nothing of that in its tree. */
export const UNTIL_RELEASED = 'touch waits; until [ -e go ]; do sleep 0.1; done; rm -f waits go';

function waiting(world: World): string[] {
  const root = join(world.state, 'workspaces');
  const places = list(root).flatMap((project) => list(join(root, project)).map((name) => join(root, project, name)));
  return places.map((place) => join(place, 'tree')).filter((tree) => list(tree).includes('waits'));
}

/** Until somebody waits. */
export const waits = (world: World) => eventually(() => waiting(world).length > 0, 'a program waits');

/** Lets everything go on that waits, as soon as something does. */
export async function released(world: World): Promise<void> {
  await waits(world);
  for (const tree of waiting(world)) writeFileSync(join(tree, 'go'), '');
  await eventually(() => waiting(world).length === 0, 'it has gone on');
}
