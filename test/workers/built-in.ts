/** A CLI that asks no model, called as Claude Code would be: by the bridge, behind a proxy. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { insidePrograms } from '../../src/hands/egress/inside-programs.ts';
import { EgressProxies } from '../../src/hands/egress/proxies.ts';
import type { WorkerOptions } from '../../src/hands/workers/options.ts';
import type { Room } from './room.ts';

export class BuiltIn {
  readonly egress: EgressProxies;
  readonly sockets: string;
  readonly #room: Room;
  readonly #inside: string;

  constructor(room: Room) {
    this.#room = room;
    this.sockets = join(room.world.root, 'egress');
    this.egress = new EgressProxies({ dir: this.sockets, log: () => {} });
    this.#inside = join(room.world.root, 'inside');
    mkdirSync(this.#inside);
  }

  /** The program is a shell script. */
  options(script: string, more: Partial<WorkerOptions> = {}): WorkerOptions {
    const path = join(this.#room.programs, 'worker.sh');
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    const own = this.#room.options();
    const claude = { type: 'adapter', adapter: 'claude', base_url: 'http://127.0.0.1:9', key: 'K' } as const;
    return {
      ...own,
      ...{ egress: this.egress, inside: insidePrograms(this.#inside) },
      settings: () => ({ ...own.settings(), clis: { acme: claude } }),
      env: (name) => (name === 'K' ? 'sk-opens-nothing' : undefined),
      tools: { ...own.tools, find: () => ({ program: '/programs/worker.sh', readable: [] }) },
      ...more,
    };
  }

  async end(): Promise<void> {
    await this.egress[Symbol.asyncDispose]();
    await this.#room.end();
  }
}
