/** Finds Docker or Podman on this machine, and says what is wrong with what it finds. */
import { accessSync, constants, statSync } from 'node:fs';
import { release } from 'node:os';
import { isAbsolute, join } from 'node:path';
import {
  type EngineFacts,
  type EngineKind,
  type EngineRefusal,
  kindsOf,
  readEngine,
  refusalOf,
} from '../../../mind/sandbox/container-engine.ts';
import { type RunResult, run } from '../../../os/process/run.ts';

export type ContainerEngine = {
  readonly command: string;
  readonly facts: EngineFacts;
  /** Variables for the engine's program; a container gets none of them. */
  readonly env: Readonly<Record<string, string>>;
};

export type EngineWish = 'container' | EngineKind;

const ASK_MS = 30_000;

/** The first engine that answers and works; else what is wrong with each. */
export async function findEngine(
  wanted: EngineWish,
  env: Readonly<Record<string, string>>,
): Promise<ContainerEngine | EngineRefusal> {
  const refusals: EngineRefusal[] = [];
  for (const kind of kindsOf(wanted)) {
    const found = await tryEngine(kind, env);
    if ('command' in found) return found;
    refusals.push(found);
  }
  const all = (key: keyof EngineRefusal) => [...new Set(refusals.map((refusal) => refusal[key]))].join('; ');
  return { problem: all('problem'), fix: all('fix') };
}

async function tryEngine(kind: EngineKind, env: ContainerEngine['env']): Promise<ContainerEngine | EngineRefusal> {
  const command = onPath(kind, env['PATH'] ?? '');
  if (command === null) return { problem: `${kind} is not installed`, fix: INSTALL[kind] };
  const said = await run(command, ['info', '--format', '{{json .}}'], { env, timeoutMs: ASK_MS });
  const facts = said.code === 0 ? readEngine(said.stdout) : null;
  if (facts === null) {
    const why = reason(said);
    return { problem: `${kind} does not answer: ${why}`, fix: UID_MAPS.test(why) ? UID_MAP : ANSWER[kind] };
  }
  const refusal = refusalOf(facts, { kernel: release(), root: process.getuid?.() === 0 });
  return refusal ?? { command, facts, env };
}

/** Why there can be no container of this image; null if it exists. */
export async function imageRefusal(engine: ContainerEngine, image: string): Promise<EngineRefusal | null> {
  const args = ['image', 'inspect', '--format', '{{json .Config.Volumes}}', image];
  const { kind } = engine.facts;
  const said = await run(engine.command, args, { env: engine.env, timeoutMs: ASK_MS });
  if (said.code !== 0)
    return {
      problem: `${kind} has no image ${image}: ${reason(said)}`,
      fix: `build it: ${kind} build --tag ${image} --file containers/Containerfile containers (see containers/README.md), or name another one as sandbox.image`,
    };
  if (kind === 'podman' || ['null', '{}', '', '<no value>'].includes(said.stdout.trim())) return null;
  return {
    problem: `the image ${image} declares volumes (${said.stdout.trim()}), which would be writable without a limit`,
    fix: 'build it without VOLUME, or name another one as sandbox.image',
  };
}

/** The last message of an engine, on one line. */
export const reason = ({ stderr, stdout, ended, code }: RunResult): string =>
  lastLine(stderr) || lastLine(stdout).slice(0, 200) || (ended === 'exit' ? `exit code ${code}` : ended);

/** Docker ends with a hint where to read more. */
export function lastLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return (lines.filter((line) => line !== '' && !/^(?:Run|See) '.*--help'/.test(line)).at(-1) ?? '').slice(0, 500);
}

function onPath(name: string, path: string): string | null {
  const places = path.split(':').filter(isAbsolute);
  return places.map((dir) => join(dir, name)).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** What Podman says if a user other than root has no further user ids. */
const UID_MAPS = /new[ug]idmap|sub[ug]id/;
const UID_MAP =
  'Podman for a user other than root needs newuidmap and a range of user ids: install uidmap (Debian, Ubuntu: apt-get install uidmap; Fedora: dnf install shadow-utils), give the range with `usermod --add-subuids 100000-165535 --add-subgids 100000-165535 USER`, then run `podman system migrate`';
const INSTALL: Readonly<Record<EngineKind, string>> = {
  podman: 'install Podman (Debian, Ubuntu: apt-get install podman; Fedora: dnf install podman)',
  docker: 'install Docker Engine (Debian, Ubuntu: apt-get install docker.io; Fedora: dnf install moby-engine)',
};
const ANSWER: Readonly<Record<EngineKind, string>> = {
  podman: 'see what `podman info` says',
  docker:
    'start its daemon (systemctl start docker) and see what `docker info` says; a user other than root has to be in the group docker',
};
