/** What every step of packing uses. */
import { join } from 'node:path';
import type { Redact } from '../../engine/ports/surroundings.ts';
import { definedLines } from '../../mind/code/outline.ts';
import { estimateTokens } from '../../mind/tokens/estimate.ts';
import { programName } from '../../os/files/program-name.ts';
import { type Afterwards, atOnce } from '../../os/machine/afterwards.ts';
import { type Aside, meanwhile } from '../../os/machine/aside.ts';
import { FactFile } from './fact-file.ts';
import { KeptFiles } from './kept-files.ts';
import { Texts } from './pack-texts.ts';
import { ByteCache } from './tree-cache.ts';
import { FACTS } from './view-facts.ts';
import { WordFile } from './word-file.ts';

export type Tools = {
  readonly cache: ByteCache;
  readonly texts: Texts;
  /** Null: nothing is kept on disk. */
  readonly words: WordFile | null;
  /** What is known of trees; where a task began is kept for other processes. */
  readonly facts: KeptFiles;
  /** Names the rules by which things are found out; null: run from source. */
  readonly program: string | null;
  /** What was found out about texts. */
  readonly textFacts: FactFile | null;
  /** When what was found out is written for other processes. */
  readonly later: Afterwards;
  /** For what only later packets need. */
  readonly aside: Aside;
  /** The lines of a file that define something. */
  readonly definitions: (path: string, text: string) => ArrayLike<number> & Iterable<number>;
  /** Tokens of a text, roughly. */
  readonly estimate: (text: string) => number;
  /** A name for an object that lives as long as its task is packed for, to remember by what was made with it. */
  readonly nameOf: (one: object) => number;
};

/** Tokens of a text, roughly, times the factor of the model. */
export type Estimate = (text: string) => number;

export function makeTools(
  redact: Redact,
  cacheBytes: number,
  cacheDir: string | null,
  program = cacheDir === null ? null : programName(import.meta.filename),
  later: Afterwards = atOnce,
  aside: Aside = meanwhile,
): Tools {
  const cache = new ByteCache(cacheBytes);
  const names = new WeakMap<object, number>();
  let last = 0;
  const nameOf = (one: object): number => {
    const known = names.get(one);
    if (known !== undefined) return known;
    last += 1;
    names.set(one, last);
    return last;
  };
  const words = cacheDir === null ? null : new WordFile(join(cacheDir, 'words'));
  const textFacts = cacheDir === null ? null : new FactFile(join(cacheDir, 'text-facts'));
  return {
    ...{ cache, words, textFacts, nameOf, program, later, aside },
    texts: new Texts(redact, cache, textFacts),
    facts: new KeptFiles(cacheDir, FACTS, later),
    definitions: definitionsFrom(textFacts, program),
    estimate: estimatesFrom(textFacts, program),
  };
}

/** What makes a definition changes with the program. */
function definitionsFrom(facts: FactFile | null, program: string | null): Tools['definitions'] {
  if (facts === null || program === null) return definedLines;
  return (path, text) => {
    const kind = `definitions ${program} ${path}`;
    const known = facts.get(kind, text);
    if (known !== undefined) return known;
    const lines = definedLines(path, text);
    facts.set(kind, text, lines);
    return lines;
  };
}

const ESTIMATED_BYTES = 16 << 20;
/** A smaller one is estimated sooner than looked up on disk. */
const LARGE = 1 << 14;

/** Each text is asked about when it is offered, when it is fitted and when it is cut, and again for the next packet. */
function estimatesFrom(facts: FactFile | null, program: string | null): Tools['estimate'] {
  const known = new ByteCache(ESTIMATED_BYTES);
  const kind = `estimate ${program}`;
  const estimated = (text: string): number => {
    if (facts === null || program === null || text.length < LARGE) return estimateTokens(text);
    const kept = facts.get(kind, text)?.[0];
    if (kept !== undefined) return kept;
    const tokens = estimateTokens(text);
    facts.set(kind, text, [tokens]);
    return tokens;
  };
  return (text) => {
    const before = known.get<number>(text);
    if (before !== undefined) return before;
    const tokens = estimated(text);
    known.set(text, tokens, text.length * 2 + 100);
    return tokens;
  };
}
