/** What a model has said since it last used a tool: pieces that together are the answer, kept by their end. */
import { type FinalText, Said } from '../said.ts';

export class Spoken {
  #said: Said | null = null;

  add(text: string): void {
    if (text === '') return;
    this.#said ??= new Said('text', undefined);
    this.#said.add(text);
  }

  /** What came before is no answer. */
  restart(): void {
    this.#said = null;
  }

  get isEmpty(): boolean {
    return this.#said === null;
  }

  /** `malformed`: how many lines of its output were no JSON. */
  final(malformed: number): FinalText {
    const final = this.#said?.end() ?? { type: 'none', reason: 'the model said nothing after its last tool' };
    return final.type === 'text' ? { ...final, malformed } : final;
  }
}
