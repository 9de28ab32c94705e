/** What one hostile case is: a small file in `cases/`. Everything else about it is done by the harness. */
import type { Result, World } from '../../support/cli.ts';
import type { NaiveReport } from './naive.ts';
import type { Seen } from './seen.ts';

/** Places outside of the worker's tree, as they are called where it runs: for real, or in the naive orchestrator. */
export type Outside = {
  /** The operator's checkout. */
  readonly repository: string;
  readonly home: string;
  /** Holds a canary; so do the operator's environment and files of the home directory. */
  readonly secret: string;
  /** Does not exist; whoever writes it has got out. */
  readonly breach: string;
  /** Somebody listens on the host's loopback. */
  readonly port: number;
  readonly state: string;
};

export type Control =
  /** The attack succeeds against an orchestrator without the defence, inside an outer sandbox. */
  | {
      readonly naive: (seen: NaiveReport) => boolean;
      /** Run in the orchestrator's place after all is done; printed to `looked`. */
      readonly look?: string;
      /** Instead of the case's own payload, where that one only makes sense inside our sandbox. */
      readonly worker?: (at: Outside) => string;
      readonly gate?: string;
      readonly timeoutMs?: number;
    }
  /** The usual way to read the same text falls for it. */
  | { readonly pure: () => boolean };

export type HostileCase = {
  readonly id: string;
  readonly title: string;
  /** Another way to what a case beside it tries: played in `make test-all` only. */
  readonly long?: boolean;
  /** Beside those every base has; see `BASE`. Null: not there. */
  readonly files?: Readonly<Record<string, string | null>>;
  /** Shell text; its standard input is the packet. */
  readonly worker: (at: Outside) => string;
  readonly task?: string;
  readonly flags?: readonly string[];
  readonly gates?: readonly string[];
  /** More lines of the operator's config, and more files in `~/.supervisor/`. */
  readonly config?: string;
  readonly own?: Readonly<Record<string, string>>;
  /** Links of the repository, with what they lead to. */
  readonly links?: (at: Outside) => Readonly<Record<string, string>>;
  /** One, unless the case is about what the next one is told. */
  readonly attempts?: number;
  /** Wall time of an attempt. */
  readonly wall?: string;
  /** How the worker is declared, and what the operator's environment has for it. */
  readonly cli?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Instead of simply running the command line to its end. */
  readonly drive?: (world: World, start: () => ReturnType<World['start']>) => Promise<Result>;
  readonly expect: {
    /** Exit code of the command line. */
    readonly code: number;
    readonly status: string;
    /** Of the last attempt. */
    readonly class?: string;
    readonly reason?: RegExp;
  };
  readonly after?: (seen: Seen) => void | Promise<void>;
  readonly control: Control;
};

export const FIXED = 'export const value = () => 2;\n';
/** One wrong function and one test that shows it; nothing else is needed to lie about. */
export const BASE: Readonly<Record<string, string>> = {
  'src/a.js': 'export const value = () => 1;\n',
  'test/a.test.js': "import { value } from '../src/a.js';\nif (value() !== 2) process.exit(1);\n",
  'package.json': '{"name": "demo", "type": "module", "scripts": {"test": "node test/a.test.js"}}\n',
  'src/api.d.ts': 'export declare const value: () => number;\n',
};
export const GATE = 'tests=node test/a.test.js';

/** Shell text that prints exactly this. */
export const print = (text: string): string => `cat <<'END-OF-TEXT'\n${text}\nEND-OF-TEXT\n`;
export const block = (answer: object | string, fence = '```', info = 'json'): string =>
  `${fence}${info}\n${typeof answer === 'string' ? answer : JSON.stringify(answer)}\n${fence}`;
export const GOOD = { status: 'SUCCESS', action_taken: 'made it right', files_modified: ['src/a.js'] };
/** What a worker says that has done all it should. */
export const SAYS = print(block(GOOD));
/** What it does then. */
export const FIX = print(FIXED.trim()).replace('cat <<', 'cat >src/a.js <<');
/** The ends of a task whose worker was caught. */
export const CAUGHT = { code: 1, status: 'failed', class: 'invalid' } as const;
/** Bad input: said so, and nothing was started. */
export const REFUSED = { code: 2, status: 'not closed' } as const;
export const ACCEPTED = { code: 0, status: 'accepted', class: 'ok' } as const;
