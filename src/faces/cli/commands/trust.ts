/** `supervisor trust`: shows what this repository's `.supervisor/` asks for, and accepts exactly that content. */

import { APPROVALS } from '../../../app/config/approvals.ts';
import type { Environment } from '../../../app/config/environment.ts';
import { loadUserConfig, parseProject } from '../../../app/config/files.ts';
import { type ProjectFiles, projectText } from '../../../app/config/project-files.ts';
import { projectRoleAsks } from '../../../app/config/roles.ts';
import { type TrustState, trust, trustState } from '../../../app/config/trust.ts';
import { shippedWorkflows } from '../../../app/config/workflows.ts';
import { locateProject } from '../../../app/open-store.ts';
import { type Ask, asksOf } from '../../../mind/config/asks.ts';
import type { Config } from '../../../mind/config/project-config.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { type CommandRun, EXIT } from '../command.ts';
import { canAsk, confirm } from '../confirm.ts';
import type { Output } from '../output.ts';

export const run: CommandRun = async ({ out, environment, flags, dir }) => {
  const { id } = locateProject(dir);
  const user = loadUserConfig(environment).config;
  const state = trustState(environment, { id, top: (await readRepository(dir)).top });
  if (state.type === 'none') {
    out.value({ project: id, state: 'none', hash: null, asks: [], changed: [] });
    out.line('there is no .supervisor/ here: nothing to trust (`supervisor init` writes one)');
    return EXIT.done;
  }
  const asks = asksFor(environment, state.files, user);
  show(out, state, asks);
  const accepted =
    state.type === 'trusted' || flags['yes'] === true || (canAsk(out.json) && (await confirm('Trust this?')));
  if (!accepted) return refuse(out, id, state, asks);
  if (state.type === 'untrusted') trust(environment, id, state.files, new Date());
  out.value({ ...facts(id, state, asks), state: 'trusted' });
  out.line(state.type === 'trusted' ? '✓ trusted already' : '✓ trusted; after any change you are asked again', 'good');
  return EXIT.done;
};

function asksFor(environment: Environment, files: ProjectFiles, user: Config): Ask[] {
  const parsed = parseProject(environment, files, user);
  const others = [...files.contents.keys()].filter((name) => !READ.test(name));
  const roles = projectRoleAsks(environment, files);
  const texts = [...files.contents.keys()].flatMap((name) => {
    const [, kind, own] = /^(strategies|templates)\/([^/]+)\.(?:yaml|liquid)$/.exec(name) ?? [];
    return own === undefined
      ? []
      : [
          {
            kind: kind as 'strategies' | 'templates' | 'approvals',
            name: own,
            text: projectText(files, name)?.text ?? '',
          },
        ];
  });
  const policy = projectText(files, APPROVALS);
  if (policy !== null) texts.push({ kind: 'approvals', name: APPROVALS, text: policy.text });
  return asksOf({ ...parsed, roles, texts, others, user, shipped: shippedWorkflows() });
}

const READ = /^((?:config|limits|approvals)\.yaml|(workflows|roles|strategies)\/[^/]+\.yaml|templates\/[^/]+\.liquid)$/;

type PresentConfig = Exclude<TrustState, { type: 'none' }>;

const changedSince = (state: PresentConfig): readonly string[] =>
  state.type === 'untrusted' ? (state.before?.changed ?? []) : [];

const facts = (project: string, state: PresentConfig, asks: readonly Ask[]) => ({
  project,
  state: state.type,
  hash: state.files.hash,
  asks,
  changed: changedSince(state),
});

function show(out: Output, state: PresentConfig, asks: readonly Ask[]): void {
  out.heading(`${state.files.folder} asks for:`);
  const width = Math.max(0, ...asks.map(({ kind, name }) => kind.length + name.length + 1));
  for (const { kind, name, text, note } of asks) {
    // Every line of the text starts with the same mark, so that none can pass for ours.
    const lines = text.split('\n');
    for (const [n, line] of lines.entries()) out.entry(`  ${(n === 0 ? `${kind} ${name}` : '').padEnd(width)} |`, line);
    if (note !== null) out.entry(`  ${''.padEnd(width)}  `, `(${note})`, 'note');
  }
  if (asks.length === 0) out.line('  nothing');
  if (state.type === 'untrusted' && state.before !== null)
    out.line(`It has changed since you trusted it (${state.before.at}): ${state.before.changed.join(', ')}`, 'note');
}

function refuse(out: Output, id: string, state: PresentConfig, asks: readonly Ask[]): number {
  if (canAsk(out.json)) {
    out.line('not trusted; nothing was changed');
    return EXIT.failed;
  }
  out.value({ ...facts(id, state, asks), error: { code: 'trust_needed', message: NOBODY } });
  if (!out.json) out.error('trust_needed', NOBODY);
  return EXIT.waiting;
}

const NOBODY = 'there is no terminal to ask on: read it and run `supervisor trust` on one, or pass --yes';
