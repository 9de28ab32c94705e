/** What real work needs, looked at for `doctor`: the wall, the tool chains, the configuration and who is to do the work. */
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../engine/ports/sandbox.ts';
import { insidePrograms } from '../hands/egress/inside-programs.ts';
import { probeEgress } from '../hands/egress/probe.ts';
import { EgressProxy } from '../hands/egress/proxy.ts';
import { cascade } from '../mind/config/cascade.ts';
import { type Settings, settingsHash } from '../mind/config/project-config.ts';
import { packageOf } from '../mind/detect/package-json.ts';
import { readTextFile } from '../os/files/text-file.ts';
import { GitError } from '../os/git/git-error.ts';
import { readRepository } from '../os/git/repository.ts';
import { ConfigError } from './config/config-error.ts';
import type { Environment } from './config/environment.ts';
import { loadSettings, loadUserConfig } from './config/files.ts';
import { TrustNeeded } from './config/trust-needed.ts';
import { cliFindings } from './doctor-clis.ts';
import { gateFindings, probeFinding } from './doctor-gates.ts';
import type { Finding } from './finding.ts';
import { locateProject } from './open-store.ts';
import { keptProbe } from './probe-gates.ts';
import { findTools } from './tools.ts';
import { openWall } from './wall.ts';

/** Builds the wall once, and says of each limit whether it holds here. */
export function sandboxFindings(environment: Environment): Promise<Finding[]> {
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

async function egressFinding(sandbox: Sandbox, dir: string): Promise<Finding> {
  const inside = insidePrograms(join(dir, 'run', 'inside'));
  await using egress = new EgressProxy({ dir: join(dir, 'run', 'egress'), log: () => {} });
  const probe = await probeEgress({ sandbox, egress, inside });
  const name = 'egress';
  if (!probe.ready)
    return { name, state: 'missing', detail: probe.problem, fix: 'report this with what else doctor shows' };
  const detail = "only through Supervisor's proxy: what is on the list answers, all else is refused";
  return { name, state: 'ok', detail, fix: null };
}

/** Where the state is, because that is where sandboxes are run from; nothing of it stays. */
async function withSandbox<T>(
  environment: Environment,
  use: (sandbox: Sandbox, dir: string) => Promise<T>,
): Promise<T> {
  const { stateDir } = environment;
  const place = existsSync(stateDir) ? stateDir : '/tmp';
  const dir = mkdtempSync(join(place, 'doctor-'));
  chmodSync(dir, 0o711);
  const wall = openWall(chosenWall(environment), environment, { runDir: join(dir, 'run'), hidden: [stateDir] });
  try {
    return await use(wall.sandbox, dir);
  } finally {
    await wall.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** None where there is no package.json that can be read. */
function scriptsOf(top: string): Readonly<Record<string, string>> {
  const text = readTextFile(join(top, 'package.json'), undefined, 'no-links');
  return typeof text === 'string' ? (packageOf(text)?.scripts ?? {}) : {};
}

/** A person's word alone; a file that can not be read is a finding of its own. */
function chosenWall(environment: Environment): Settings['sandbox'] {
  try {
    return cascade({ user: loadUserConfig(environment).config }).settings.sandbox;
  } catch (error) {
    if (error instanceof ConfigError) return cascade({}).settings.sandbox;
    throw error;
  }
}

/** The project's own configuration, whether it is trusted, and whether somebody can do the work and check it. */
export async function workFindings(environment: Environment, dir: string): Promise<Finding[]> {
  try {
    const project = locateProject(dir);
    const { top, head } = await readRepository(dir);
    const { settings, sources, limits, told, workflows } = loadSettings(environment, { id: project.id, top });
    // `run` reads these before it starts, and refuses what is wrong in them.
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
        // If no sandbox can be built, that is a finding already, and nothing runs in one.
        const { ready } = await sandbox.probe();
        const around = { settings, environment, tools, sandbox, ready };
        const empty = mkdtempSync(join(dir, 'gates-'));
        const scripts = scriptsOf(top);
        return [...(await gateFindings({ ...around, dir: empty, scripts })), ...(await cliFindings(around))];
      })),
      ...tools.chains.leftOut.map(({ path, why }) => ({
        name: 'tool chain',
        state: 'degraded' as const,
        detail: `${path} is not shown to workers and gates: it ${why}`,
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
