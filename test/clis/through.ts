/** A task through the whole product by a real CLI: in the sandbox, through the proxy, against the stand-in. */
import { StandIn } from '../../src/hands/stand-in/stand-in.ts';
import type { ScenarioInput } from '../../src/mind/stand-in/scenario.ts';
import { PATH, type Result, World } from '../support/cli.ts';
import { CLIS, type Cli, clisBin } from '../support/clis.ts';

export { CLIS, type Cli };

/** Searched for afterwards wherever it must not be. */
export const KEY = 'sk-canary-7f3a9c51d2e84b60';

const KEYS: Readonly<Record<Cli, string>> = {
  claude: 'ANTHROPIC_API_KEY',
  codex: 'OPENAI_API_KEY',
  gemini: 'GEMINI_API_KEY',
  copilot: 'COPILOT_PROVIDER_API_KEY',
  opencode: 'ANTHROPIC_API_KEY',
};
const MODELS: Readonly<Partial<Record<Cli, string>>> = {
  gemini: 'gemini-2.5-flash',
  copilot: 'stand-in',
  opencode: 'stand-in',
};

/** What the model says at the end, as every packet asks for it. */
export const ANSWER = `Done.\n\n\`\`\`json\n${JSON.stringify({
  status: 'SUCCESS',
  action_taken: 'wrote the greeting',
  files_created: ['greeting.txt'],
})}\n\`\`\`\n`;

export const WRITES: ScenarioInput['turns'] = [
  { write: { path: 'greeting.txt', text: 'hello\n' }, usage: { input: 100, output: 20 } },
  { text: ANSWER, usage: { input: 130, output: 40 } },
];

export const GATE = ['--gate', 'greets=grep -q hello greeting.txt'];

export class Through implements AsyncDisposable {
  readonly world = new World();
  readonly standIn: StandIn;
  url = '';

  constructor(turns: ScenarioInput['turns'], per: ScenarioInput['per'] = 'server') {
    this.standIn = new StandIn({ scenario: { turns, per } });
    this.world.commit({ 'README.md': 'greetings\n' });
  }

  /** With these CLIs set up to ask the stand-in, or what is in front of it; `more` goes into the config as it is. */
  async open(clis: readonly Cli[], more = '', { front, env }: { front?: string; env?: string } = {}): Promise<this> {
    ({ url: this.url } = await this.standIn.listen());
    const url = front ?? this.url;
    const entries = clis.map((cli) => {
      const base = cli === 'codex' || cli === 'copilot' ? `${url}/v1` : url;
      const model = MODELS[cli];
      const rest = [model === undefined ? '' : `    model: ${model}\n`, env === undefined ? '' : `    env: [${env}]\n`];
      return `  ${cli}:\n    base_url: ${base}\n    key: ${KEYS[cli]}\n${rest.join('')}`;
    });
    this.world.userConfig(`clis:\n${entries.join('')}${more}`);
    return this;
  }

  env(): Record<string, string> {
    const keys = Object.fromEntries(Object.values(KEYS).map((name) => [name, KEY]));
    return { PATH: `${clisBin()}:${PATH}`, ...keys, PASSED_ON: KEY };
  }

  start(cli: string, ...args: readonly string[]): ReturnType<World['start']> {
    return this.world.start(['run', 'write a greeting', '--cli', cli, ...GATE, '--json', ...args], this.env());
  }

  run(cli: string, ...args: readonly string[]): Promise<Result> {
    return this.start(cli, ...args).done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.standIn.close();
    this.world[Symbol.dispose]();
  }
}
