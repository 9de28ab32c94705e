/** `supervisor check`: every gate on HEAD, in the sandbox, without a worker. */
import { type CheckedCommit, checkCommit } from '../../../app/check.ts';
import { loadSettings } from '../../../app/config/files.ts';
import { openEngineDeps } from '../../../app/open.ts';
import { locateProject } from '../../../app/open-store.ts';
import { formatDuration } from '../../../kernel/duration.ts';
import { gateText } from '../../../mind/feedback/gate-text.ts';
import { shortList } from '../../../mind/gates/baseline.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { type CommandContext, type CommandRun, EXIT, texts } from '../command.ts';
import { makeReady } from '../make-ready.ts';
import { onStop } from '../signals.ts';

export const run: CommandRun = async (context) => {
  const { environment, flags, out, dir } = context;
  const project = locateProject(dir);
  const { top, head } = await readRepository(dir);
  if (head === null) {
    out.error('no_commit', 'nothing is committed yet: gates check commits');
    return EXIT.failed;
  }
  const loaded = loadSettings(environment, { id: project.id, top });
  const names = loaded.settings.gates.map(({ name }) => name);
  const wanted = texts(flags['gate']) ?? names;
  const unknown = wanted.find((name) => !names.includes(name));
  if (names.length === 0 || unknown !== undefined) {
    const there =
      names.length === 0
        ? 'no gate is configured: name one in .supervisor/config.yaml (`supervisor init` suggests some)'
        : `there are ${names.join(', ')}`;
    out.error('no_gate', unknown === undefined ? there : `there is no gate ${unknown}; ${there}`);
    return EXIT.usage;
  }
  const opened = await openEngineDeps(environment, project, {
    real: { loaded: () => loaded, network: flags['network'] === true, checkout: top },
  });
  const stop = onStop((name) => out.aside(`${name}: stopping`));
  try {
    const real = await opened.real();
    await makeReady(context, real, { clis: [], base: head, unsafe: false });
    const uncommitted = await real.workspaces.uncommitted(top, head);
    if (uncommitted !== null && uncommitted.length > 0)
      out.aside(
        `gates see the commit ${head.slice(0, 12)}. Not committed, so not checked: ${shortList(uncommitted, 10)}`,
      );
    const found = await checkCommit(real, { commit: head, gates: wanted }, (one) => show(out, one), stop.signal);
    if (stop.signal.aborted) return EXIT.interrupted;
    out.value({ commit: head, gates: found.map(({ evidence: _, ...finding }) => finding) });
    if (found.some(({ status }) => status === 'error')) return EXIT.notReady;
    return found.every(({ status }) => status === 'pass') ? EXIT.done : EXIT.failed;
  } finally {
    stop.release();
    await opened.close();
  }
};

function show(out: CommandContext['out'], { gate, status, ended, red, ms, evidence }: CheckedCommit): void {
  const took = formatDuration(ms);
  if (status === 'pass') {
    const isTried = /^exit code/.test(ended);
    out.entry(gate, isTried ? `passes (${took})` : ended, isTried ? 'good' : 'note');
    return;
  }
  const failed = red === null || red === 0 ? ended : `${red} failed test${red === 1 ? '' : 's'}, ${ended}`;
  out.entry(gate, status === 'fail' ? `red: ${failed} (${took})` : `could not run: ${ended}`, 'bad');
  if (status === 'error') return;
  const told = gateText({ gate, status, text: evidence }, 1_500);
  for (const line of told.split('\n')) out.line(`  | ${line}`, 'note');
}
