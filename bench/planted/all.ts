/** All planted changes, and what became of them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atlas } from './atlas.ts';
import { FURTHER_LEDGER, FURTHER_ORDERS, FURTHER_TEXTKIT, FURTHER_TOOLBOX } from './further.ts';
import { PlantedJudge, type Verdict } from './judge.ts';
import { LATER_ORDERS, LATER_TEXTKIT } from './later-others.ts';
import { LATER_LEDGER, LATER_TOOLBOX } from './later-script.ts';
import { ledger } from './ledger.ts';
import { mailroom } from './mailroom.ts';
import { orders } from './orders.ts';
import { pantry } from './pantry.ts';
import type { Planted, Project } from './planted.ts';
import { shelf } from './shelf.ts';
import { tabby } from './tabby.ts';
import { tally } from './tally.ts';
import { textkit } from './text.ts';
import { tidemark } from './tidemark.ts';
import { toolbox } from './toolbox.ts';
import { UNLIKE_ORDERS, UNLIKE_TEXTKIT } from './unlike-others.ts';
import { UNLIKE_LEDGER, UNLIKE_TOOLBOX } from './unlike-script.ts';

const grown = (project: Project, more: readonly Planted[]): Project => ({
  ...project,
  changes: [...project.changes, ...more],
});

export const PROJECTS: readonly Project[] = [
  grown(ledger, [...FURTHER_LEDGER, ...UNLIKE_LEDGER, ...LATER_LEDGER]),
  grown(toolbox, [...FURTHER_TOOLBOX, ...UNLIKE_TOOLBOX, ...LATER_TOOLBOX]),
  grown(orders, [...FURTHER_ORDERS, ...UNLIKE_ORDERS, ...LATER_ORDERS]),
  grown(textkit, [...FURTHER_TEXTKIT, ...UNLIKE_TEXTKIT, ...LATER_TEXTKIT]),
  ...[pantry, atlas, mailroom, shelf, tally, tidemark, tabby],
];

export type Outcome = Verdict & { readonly project: string; readonly planted: Planted };

/** Judges those changes of a project that `wanted` asks for, one after the other, in a repository of their own. */
export async function judgeProject(
  project: Project,
  ask: { readonly wanted: (planted: Planted) => boolean; readonly left: boolean },
): Promise<readonly Outcome[]> {
  // A sandbox runs as somebody else, who has to reach it.
  const dir = mkdtempSync(join(tmpdir(), 'supervisor-planted-'));
  try {
    await using judge = new PlantedJudge(project, dir);
    const outcomes: Outcome[] = [];
    for (const planted of project.changes.filter(ask.wanted))
      outcomes.push({ project: project.name, planted, ...(await judge.judge(planted, ask)) });
    return outcomes;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

export const isWrong = ({ planted, ours }: Outcome): boolean => ours.accepted !== (planted.kind === 'good');

/** One line: what was judged wrongly, by whom, and why. */
export const missText = ({ project, planted, ours }: Outcome): string => {
  const how = ours.accepted ? 'accepted' : `refused by ${ours.by}`;
  const why = ours.accepted ? '' : `: ${ours.why.replace(/\s+/g, ' ').slice(0, 300)}`;
  return `${how}: ${planted.class} of ${project}, "${planted.task}"${why}`;
};
