/** Which CLI of a step's chain gets it now: the first that can work, or that can soon enough. */

import { type Parked, parkedAt } from '../domain/host.ts';
import { quotaOf } from '../domain/limits.ts';
import { countedAs } from '../domain/played.ts';
import type { Project } from '../domain/project.ts';
import type { Spec } from '../domain/values.ts';
import { quotaText } from '../protocol/quota-text.ts';
import { laneOf, type WorkflowStep } from '../workflows/workflow.ts';

type Pick =
  | { readonly type: 'cli'; readonly cli: string; readonly chain: number }
  /** None can work now: what it waits for, in words. */
  | { readonly type: 'wait'; readonly why: string };

/** `from` is where the step stands in its chain: what is before that has failed at it. */
export function pickCli(project: Project, definition: WorkflowStep, from: number, spec: Spec, now: number): Pick {
  const obstacles: string[] = [];
  // A chain that the operator replaced may be shorter than where the step stood.
  const first = from < definition.cli.length ? from : 0;
  for (let chain = first; chain < definition.cli.length; chain++) {
    const cli = definition.cli[chain] as string;
    const lane = countedAs(laneOf(definition, cli), spec);
    const parked = parkedAt(project.host, countedAs(cli, spec), now);
    const open = project.board.breakers.get(lane)?.open === true;
    if (!open && parked === null) return { type: 'cli', cli, chain };
    const why = open ? breakerText(lane, cli) : quotaText(cli, parked as Parked, now);
    // A reset that is known and near is worth the wait: the first choice was chosen for a reason. Not again and again.
    if (
      !open &&
      parked?.told === true &&
      parked.tries <= PATIENCE &&
      parked.until - now <= quotaOf(project.board.limits).wait_ms
    )
      return { type: 'wait', why };
    obstacles.push(why);
  }
  return { type: 'wait', why: obstacles.join(', or ') || 'a CLI: its chain has none left' };
}

/** How often in a row a CLI may say that it is free again soon before another one is asked. */
const PATIENCE = 2;

const breakerText = (lane: string, cli: string): string =>
  `breaker ${lane}, open after repeated failures (\`supervisor reset ${cli}\` when it works again)`;
