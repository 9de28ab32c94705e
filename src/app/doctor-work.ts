/** `doctor` for real work: the sandbox, the tool chains, the configuration, and who will do the work. */
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../engine/ports/sandbox.ts';
import { insidePrograms } from '../hands/egress/inside-programs.ts';
import { probeEgress } from '../hands/egress/probe.ts';
import { EgressProxies } from '../hands/egress/proxies.ts';
import { cascade } from '../mind/config/cascade.ts';
import { type Settings, settingsHash } from '../mind/config/project-config.ts';
import { GitError } from '../os/git/git-error.ts';
import { readRepository } from '../os/git/repository.ts';
import { openSandbox } from './chosen-sandbox.ts';
import { ConfigError } from './config/config-error.ts';
import type { Environment } from './config/environment.ts';
import { loadSettings, loadUserConfig } from './config/files.ts';
import { TrustNeeded } from './config/trust-needed.ts';
import { cliFindings } from './doctor-clis.ts';
import type { DoctorFinding } from './doctor-finding.ts';
import { gateFindings, probeFinding, scriptsOf } from './doctor-gates.ts';
import { locateProject } from './open-store.ts';
import { keptProbe } from './probe-gates.ts';
import { findTools } from './tools.ts';

/** Builds the sandbox once and reports for each limit whether it is enforced here. */
export function sandboxFindings(environment: Environment): Promise<DoctorFinding[]> {
  return withSandbox(environment, async (sandbox, dir) => {
    const report = await sandbox.probe();
    const name = 'sandbox';
    if (!report.ready) return [{ name, state: 'missing', detail: report.problem ?? report.backend, fix: report.fix }];
    const loose = report.limits.filter((limit) => !limit.enforced);
    const held = report.limits.filter((limit) => limit.enforced).map(({ limit }) => limit);
    return [
      { name, state: 'ok', detail: `${report.backend}; enforced: ${held.join(', ')}`, fix: null },
      ...loose.map(({ limit, how, fix = null }) => ({
        name: limit,
        state: 'degraded' as const,
        detail: `not strictly enforced: ${how}`,
        fix,
      })),
      await egressFinding(sandbox, dir),
    ];
  });
}

async function egressFinding(sandbox: Sandbox, dir: string): Promise<DoctorFinding> {
  const inside = insidePrograms(join(dir, 'run', 'inside'));
  await using egress = new EgressProxies({ dir: join(dir, 'run', 'egress'), log: () => {} });
  const probe = await probeEgress({ sandbox, egress, inside });
  const name = 'egress';
  if (!probe.ready)
    return { name, state: 'missing', detail: probe.problem, fix: 'report this with what else doctor shows' };
  const detail = "only through Supervisor's proxy, which refuses everything that is not on the list";
  return { name, state: 'ok', detail, fix: null };
}

/** Works in the state directory, because sandboxes run from there; removes everything afterwards. */
async function withSandbox<T>(
  environment: Environment,
  use: (sandbox: Sandbox, dir: string) => Promise<T>,
): Promise<T> {
  const { stateDir } = environment;
  const place = existsSync(stateDir) ? stateDir : '/tmp';
  const dir = mkdtempSync(join(place, 'doctor-'));
  chmodSync(dir, 0o711);
  const sandbox = openSandbox(chosenSandbox(environment), environment, {
    runDir: join(dir, 'run'),
    hidden: [stateDir],
  });
  try {
    return await use(sandbox.sandbox, dir);
  } finally {
    await sandbox.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Only the user's own config decides this. A file that cannot be read is a separate finding. */
function chosenSandbox(environment: Environment): Settings['sandbox'] {
  try {
    return cascade({ user: loadUserConfig(environment).config }).settings.sandbox;
  } catch (error) {
    if (error instanceof ConfigError) return cascade({}).settings.sandbox;
    throw error;
  }
}

/** Checks the project's configuration: is it trusted, can somebody do the work, and can a gate check it? */
export async function workFindings(environment: Environment, dir: string): Promise<DoctorFinding[]> {
  try {
    const project = locateProject(dir);
    const { top, head } = await readRepository(dir);
    const { settings, sources, limits, told, workflows } = loadSettings(environment, { id: project.id, top });
    // `run` loads these before it starts, and refuses mistakes in them.
    workflows.forRun(null, { maxSteps: limits.max_steps });
    told.templates();
    const tools = findTools(environment, project);
    const from = sources.length === 0 ? 'defaults' : sources.join(', ');
    return [
      { name: 'config', state: 'ok', detail: from, fix: null },
      ...(settings.gates.length === 0
        ? []
        : [probeFinding(keptProbe(environment, project.id), { head, settings: settingsHash(settings) })]),
      ...(await withSandbox(environment, async (sandbox, dir) => {
        // A sandbox that cannot be built is a finding already, and nothing can run in it.
        const { ready } = await sandbox.probe();
        const around = { settings, environment, tools, sandbox, ready };
        const empty = mkdtempSync(join(dir, 'gates-'));
        const scripts = scriptsOf(top);
        return [...(await gateFindings({ ...around, dir: empty, scripts })), ...(await cliFindings(around))];
      })),
      ...tools.chains.leftOut.map(({ path, why }) => ({
        name: 'tool chain',
        state: 'degraded' as const,
        detail: `${path} is not mounted for workers and gates: it ${why}`,
        fix: null,
      })),
    ];
  } catch (error) {
    if (error instanceof TrustNeeded)
      return [{ name: 'config', state: 'missing', detail: error.message, fix: 'supervisor trust' }];
    if (error instanceof ConfigError)
      return [{ name: 'config', state: 'missing', detail: error.message, fix: 'correct the file at that place' }];
    if (error instanceof GitError) return [];
    throw error;
  }
}
