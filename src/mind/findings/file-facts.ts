/** Facts about one changed file that several rules need; computed once, on demand. */

import { type AddedLine, type ChangedFile, type LineDiff, lineDiff } from '../changes/changed-file.ts';
import { isDoc, type Language, languageOf } from '../code/languages.ts';
import { maskOf } from '../code/mask.ts';
import { scriptOf } from '../code/script-blocks.ts';
import { type TestBlocks, testBlocksIn } from './test-blocks.ts';

export class FileFacts {
  readonly file: ChangedFile;
  readonly path: string;
  readonly language: Language;
  /** By its path; a Rust source may hold tests and is no test. */
  readonly isTest: boolean;
  readonly isDoc: boolean;
  #diff: LineDiff | null = null;
  readonly #code: [before: string | null, after: string | null] = [null, null];
  readonly #lines: [before: readonly string[] | null, after: readonly string[] | null] = [null, null];
  readonly #tests: [before: TestBlocks | null, after: TestBlocks | null] = [null, null];

  constructor(file: ChangedFile, isTest: boolean) {
    this.file = file;
    this.path = file.path;
    this.language = languageOf(file.path);
    this.isTest = isTest;
    this.isDoc = isDoc(file.path);
  }

  get added(): readonly AddedLine[] {
    this.#diff ??= lineDiff(this.file);
    return this.#diff.added;
  }

  get removed(): readonly AddedLine[] {
    this.#diff ??= lineDiff(this.file);
    return this.#diff.removed;
  }

  /** Without comments and the insides of strings, at unchanged positions. Empty if that side does not exist. */
  code(side: DiffSide): string {
    this.#code[side] ??= maskOf(this.language, scriptOf(this.path, this.text(side) ?? ''));
    return this.#code[side];
  }

  codeLines(side: DiffSide): readonly string[] {
    this.#lines[side] ??= this.code(side).split('\n');
    return this.#lines[side];
  }

  /** The code of an added line. */
  codeOf({ line }: AddedLine): string {
    return this.codeLines(AFTER)[line - 1] ?? '';
  }

  tests(side: DiffSide): TestBlocks {
    this.#tests[side] ??= testBlocksIn(this.language, this.text(side) ?? '', this.codeLines(side));
    return this.#tests[side];
  }

  /** Whether its tests are counted: test files, and Rust sources, which may hold tests. */
  get mayHoldTests(): boolean {
    return this.language !== 'other' && (this.isTest || this.language === 'rust');
  }

  text(side: DiffSide): string | null {
    return side === BEFORE ? this.file.before : this.file.after;
  }
}

export type DiffSide = 0 | 1;
export const BEFORE: DiffSide = 0;
export const AFTER: DiffSide = 1;
