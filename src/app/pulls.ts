/** Pull requests through the forge's own program, `gh`, with the user's login. */
import { type Rejection, rejected } from '../kernel/result.ts';
import { terminalLine } from '../kernel/terminal-text.ts';
import {
  LINE_COMMENT_QUERY,
  type LineComment,
  PULL_FIELDS,
  type PullRequest,
  readLineComments,
  readPulls,
} from '../mind/protocol/pull-text.ts';
import { run } from '../os/process/run.ts';
import type { Environment } from './config/environment.ts';

/** The variables that gh needs for its login and settings; no others are passed on. */
const PASSED = ['GH_TOKEN', 'GITHUB_TOKEN', 'GH_HOST', 'GH_CONFIG_DIR', 'XDG_CONFIG_HOME', 'HTTPS_PROXY', 'NO_PROXY'];
const TIMEOUT_MS = 60_000;

export class Forge {
  readonly #environment: Environment;
  readonly #dir: string;

  constructor(environment: Environment, dir: string) {
    this.#environment = environment;
    this.#dir = dir;
  }

  /** The newest pull request of this branch; null if there is none. */
  async find(branch: string): Promise<PullRequest | null | Rejection> {
    const said = await this.#gh([
      'pr',
      'list',
      '--head',
      branch,
      '--state',
      'all',
      '--limit',
      '30',
      '--json',
      PULL_FIELDS,
    ]);
    if (typeof said !== 'string') return said;
    const pulls = readPulls(said);
    if (pulls === null)
      return rejected(
        'forge',
        'gh printed something else than a list of pull requests: update gh, or look with `gh pr list`',
      );
    return pulls.find(({ isCrossRepository }) => isCrossRepository !== true) ?? null;
  }

  /** What reviewers wrote at lines of this pull request. */
  async lineComments(number: number): Promise<readonly LineComment[] | Rejection> {
    const address = `repos/{owner}/{repo}/pulls/${number}/comments`;
    const said = await this.#gh(['api', address, '--paginate', '--jq', LINE_COMMENT_QUERY]);
    if (typeof said !== 'string') return said;
    return readLineComments(said) ?? rejected('forge', 'gh printed something else than comments: update gh');
  }

  /** Opens a draft and returns its address. The branch must be on the remote already. */
  async open(pull: {
    readonly branch: string;
    readonly onto: string;
    readonly title: string;
    readonly body: string;
  }): Promise<string | Rejection> {
    const { branch, onto, title, body } = pull;
    const asked = ['pr', 'create', '--draft', '--head', branch, '--base', onto, '--title', title, '--body-file', '-'];
    const said = await this.#gh(asked, body);
    if (typeof said !== 'string') return said;
    return said.trim().split('\n').at(-1) ?? '';
  }

  /** Sets one status on a commit, shown beside the pull request. */
  async status(commit: string, gate: string, passed: boolean, text: string): Promise<Rejection | null> {
    const fields = {
      state: passed ? 'success' : 'failure',
      context: `supervisor/${gate}`,
      description: text.slice(0, 140),
    };
    const flags = Object.entries(fields).flatMap(([name, value]) => ['-f', `${name}=${value}`]);
    const said = await this.#gh(['api', `repos/{owner}/{repo}/statuses/${commit}`, ...flags]);
    return typeof said === 'string' ? null : said;
  }

  async #gh(args: readonly string[], input?: string): Promise<string | Rejection> {
    const { home, path } = this.#environment;
    const own = PASSED.flatMap((name) => {
      const value = this.#environment.variable(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    const { code, stdout, stderr, ended } = await run('gh', args, {
      cwd: this.#dir,
      env: {
        PATH: path,
        ...(home === null ? {} : { HOME: home }),
        GH_PROMPT_DISABLED: '1',
        NO_COLOR: '1',
        ...Object.fromEntries(own),
      },
      timeoutMs: TIMEOUT_MS,
      ...(input === undefined ? {} : { input }),
    });
    if (ended === 'missing')
      return rejected('no_gh', 'gh is not installed: https://cli.github.com, then `gh auth login`');
    if (ended !== 'exit') return rejected('forge', `gh ${args[0]} ${args[1]} did not end (${ended}): try again`);
    if (code === 0) return stdout;
    const why = terminalLine(stderr.trim().split('\n')[0] ?? '', 300);
    return rejected('forge', `gh ${args[0]} ${args[1]}: ${why || `exit code ${code}`}${adviceFor(stderr)}`);
  }
}

function adviceFor(stderr: string): string {
  if (/rate limit/i.test(stderr)) return '. Try again later';
  if (/not logged|auth login|authentication/i.test(stderr)) return '. Log in: `gh auth login`';
  if (/must first push|No commits between|head.*(?:not found|invalid)|Head sha can't be blank/i.test(stderr))
    return '. Push the branch first: `git push -u origin BRANCH`';
  return '';
}
