/** What is there before the first command of a page: a home, a repository, the real Claude Code with a stand-in for its model. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { StandIn } from '../../src/hands/stand-in/stand-in.ts';
import type { ScenarioInput } from '../../src/mind/stand-in/scenario.ts';
import { ENTRY, PATH } from '../support/cli.ts';
import { cliBin } from '../support/clis.ts';
import { remove } from '../support/remove.ts';
import { endProcesses } from '../support/traces.ts';
import { RECIPES, type Recipe } from './recipes.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Compiled code is kept between worlds. */
const CACHE = join(ROOT, '.tools', 'test-cache');

export class PageWorld implements AsyncDisposable {
  readonly dir = mkdtempSync(join(tmpdir(), 'supervisor-docs-'));
  readonly home = join(this.dir, 'ana');
  readonly env: Record<string, string>;
  readonly started: number[] = [];
  #standIn: StandIn | null = null;

  private constructor() {
    // Users of sandboxes have to pass through.
    chmodSync(this.dir, 0o711);
    mkdirSync(join(this.dir, 'bin'));
    mkdirSync(join(this.dir, 'tmp'));
    chmodSync(join(this.dir, 'tmp'), 0o711);
    mkdirSync(this.home);
    this.env = {
      HOME: this.home,
      PATH: [join(this.home, '.local/bin'), join(this.dir, 'bin'), PATH].join(':'),
      SUPERVISOR_HOME: join(this.home, '.local/state/supervisor'),
      PREFIX: join(this.home, '.local'),
      npm_config_prefix: join(this.home, '.local'),
      npm_config_update_notifier: 'false',
      XDG_CACHE_HOME: CACHE,
      TMPDIR: join(this.dir, 'tmp'),
      TERM: 'dumb',
      LANG: 'C.UTF-8',
      NO_COLOR: '1',
    };
  }

  static async make(name: string): Promise<PageWorld> {
    const recipe = RECIPES[name];
    if (recipe === undefined) throw new Error(`no world ${name} (known: ${Object.keys(RECIPES).join(', ')})`);
    const world = new PageWorld();
    try {
      await world.#fill(recipe);
      return world;
    } catch (error) {
      await world[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** As the reader would see it. */
  asShown(text: string): string {
    return text.replaceAll(this.home, '/home/ana');
  }

  async #fill(recipe: Recipe): Promise<void> {
    this.#git(this.home, 'config', '--global', 'user.name', 'Ana');
    this.#git(this.home, 'config', '--global', 'user.email', 'ana@example.com');
    this.#git(this.home, 'config', '--global', 'init.defaultBranch', 'main');
    if (recipe.checkout === true) this.#publishCheckout();
    else this.#program('supervisor', `exec '${process.execPath}' '${ENTRY}' "$@"`);
    for (const [path, text] of Object.entries(recipe.home ?? {})) this.write(join(this.home, path), text);
    for (const [name, text] of Object.entries(recipe.programs ?? {})) this.#program(name, text);
    const shop = join(this.home, 'shop');
    for (const [n, { message, files }] of (recipe.commits ?? []).entries()) {
      for (const [path, text] of Object.entries(files)) this.write(join(shop, path), text);
      this.#commit(shop, message);
      if (n > 0 || recipe.ready !== true) continue;
      execFileSync('supervisor', ['init', '--yes'], { cwd: shop, env: this.env, stdio: 'ignore' });
      this.#commit(shop, 'how it is checked');
    }
    if (recipe.turns !== undefined) await this.#openModel(recipe.turns, recipe.key ?? true);
  }

  /** The real program; only its model is played. */
  async #openModel(turns: ScenarioInput['turns'], key: boolean): Promise<void> {
    symlinkSync(cliBin('claude'), join(this.dir, 'bin', 'claude'));
    this.#standIn = new StandIn({ scenario: { turns } });
    const { url } = await this.#standIn.listen();
    this.write(join(this.home, '.supervisor/config.yaml'), `clis:\n  claude:\n    base_url: ${url}\n`);
    if (key) this.env['ANTHROPIC_API_KEY'] = 'sk-of-the-stand-in';
  }

  /** This checkout as it is, with what is not committed yet, at the address that the pages name. */
  #publishCheckout(): void {
    const bare = join(this.dir, 'supervisor.git');
    this.#git(this.dir, 'clone', '-q', '--bare', '--shared', ROOT, bare);
    const env = { ...this.env, GIT_DIR: bare, GIT_WORK_TREE: ROOT, GIT_INDEX_FILE: join(this.dir, 'index') };
    const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, env, encoding: 'utf8' }).trim();
    git('add', '-A');
    const commit = git('commit-tree', '-m', 'as it is', git('write-tree'));
    git('update-ref', 'refs/heads/main', commit);
    git('symbolic-ref', 'HEAD', 'refs/heads/main');
    this.#git(this.home, 'config', '--global', `url.${bare}.insteadOf`, 'https://git.example.com/supervisor.git');
    // What `make setup` would bring from the network is in the clone from the start.
    this.write(
      join(this.dir, 'template/hooks/post-checkout'),
      `#!/bin/sh\nln -s '${ROOT}/node_modules' node_modules\n`,
    );
    chmodSync(join(this.dir, 'template/hooks/post-checkout'), 0o755);
    this.#git(this.home, 'config', '--global', 'init.templateDir', join(this.dir, 'template'));
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  #program(name: string, text: string): void {
    const path = join(this.dir, 'bin', name);
    writeFileSync(path, text.startsWith('#!') ? text : `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
  }

  #commit(dir: string, message: string): void {
    this.#git(dir, 'init', '-q');
    this.#git(dir, 'add', '-A');
    this.#git(dir, 'commit', '-q', '-m', message);
  }

  #git(dir: string, ...args: string[]): void {
    mkdirSync(dir, { recursive: true });
    execFileSync('git', args, { cwd: dir, env: this.env, stdio: ['ignore', 'ignore', 'inherit'] });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#standIn?.close();
    endProcesses(this.dir, this.started);
    remove(this.dir);
  }
}
