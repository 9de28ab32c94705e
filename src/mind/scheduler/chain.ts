/** Which CLI of a step's chain gets it now: the first that can work, or that can soon enough. */

import { type Parked, parkedAt } from '../domain/host.ts';
import { quotaOf } from '../domain/limits.ts';
import type { Project } from '../domain/project.ts';
import { countedAs } from '../domain/simulated-names.ts';
import type { Spec } from '../domain/values.ts';
import { quotaText } from '../protocol/quota-text.ts';
import { laneOf, type WorkflowStep } from '../workflows/workflow.ts';

type Pick =
  | { readonly type: 'cli'; readonly cli: string; readonly chain: number }
  /** None can work now: the reason to wait, in words. */
  | { readonly type: 'wait'; readonly why: string };

/** `from`: the step's place in its chain; earlier CLIs have failed at it. */
export function pickCli(project: Project, definition: WorkflowStep, from: number, spec: Spec, now: number): Pick {
  const obstacles: string[] = [];
  // The operator may have replaced the chain with one shorter than the step's place.
  const first = from < definition.cli.length ? from : 0;
  for (let chain = first; chain < definition.cli.length; chain++) {
    const cli = definition.cli[chain] as string;
    const lane = countedAs(laneOf(definition, cli), spec);
    const parked = parkedAt(project.host, countedAs(cli, spec), now);
    const open = project.board.breakers.get(lane)?.open === true;
    if (!open && parked === null) return { type: 'cli', cli, chain };
    const why = open ? breakerText(lane, cli) : quotaText(cli, parked as Parked, now);
    // A known, near reset is worth the wait: the first choice was chosen for a reason. But not again and again.
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

/** How often in a row a CLI may announce a near reset before another one is asked. */
const PATIENCE = 2;

const breakerText = (lane: string, cli: string): string =>
  `breaker ${lane}, open after repeated failures (\`supervisor reset ${cli}\` when it works again)`;
