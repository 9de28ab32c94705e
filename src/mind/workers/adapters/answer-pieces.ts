/** What a model has printed since it last used a tool: pieces that together are the answer; only the end is kept. */
import { type FinalText, FinalTextReader } from '../final-text.ts';

/** Most text before a tool is shorter, and never needed. */
const SHORT = 4096;

export class Spoken {
  #start = '';
  #said: FinalTextReader | null = null;

  add(text: string): void {
    if (this.#said === null && this.#start.length + text.length <= SHORT) {
      this.#start += text;
      return;
    }
    this.#said ??= begun(this.#start);
    this.#said.add(text);
  }

  /** Earlier text is no answer. */
  restart(): void {
    this.#start = '';
    this.#said = null;
  }

  get isEmpty(): boolean {
    return this.#said === null && this.#start === '';
  }

  /** `malformed`: how many lines of its output were no JSON. */
  final(malformed: number): FinalText {
    if (this.isEmpty) return { type: 'none', reason: 'the model said nothing after its last tool' };
    const final = (this.#said ?? begun(this.#start)).end();
    return final.type === 'text' ? { ...final, malformed } : final;
  }
}

function begun(start: string): FinalTextReader {
  const said = new FinalTextReader('text', undefined);
  said.add(start);
  return said;
}
