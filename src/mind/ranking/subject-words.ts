/** The words of past commit subjects, as hashes, to compare with a task's words. */
import { Walk } from './walk.ts';

/** Later words of a subject are about something else. */
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
