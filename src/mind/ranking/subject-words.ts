/** The words of what past changes say of themselves, as hashes: to be compared with those of a task. */
import { Walk } from './walk.ts';

/** What is said after this many bytes is about something else. */
const MOST = 400;

export class SubjectWords {
  readonly #walk = new Walk();
  readonly #room = new Uint8Array(MOST);

  constructor() {
    this.#walk.wantAll();
  }

  /** `text`: bytes, each as a letter. */
  of(text: string): number[] {
    const size = Math.min(text.length, MOST);
    for (let at = 0; at < size; at++) this.#room[at] = text.charCodeAt(at);
    this.#walk.walk(this.#room, size);
    return Array.from(this.#walk.words.subarray(0, this.#walk.wordCount));
  }
}
