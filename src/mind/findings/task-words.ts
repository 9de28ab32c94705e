/**
 * Splits the words of a task, sentence by sentence, into requests and prohibitions. "Do not remove tests" requests no
 * removal.
 */

/** A longer task is read up to here. */
const MAX_TASK = 64 * 1024;

export type Clause = {
  readonly text: string;
  /** Where the words start to forbid; the length of the text if they never do. */
  readonly forbidsFrom: number;
};

const ORDER =
  'add|change|update|edit|use|install|bump|upgrade|fix|rewrite|write|make|let|put|extend|rename|move|remove|delete|drop|replace|keep|leave|please|then|instead|only|just';
const SENTENCE_END = /[.;!?](?=\s|$)|\n\s{0,20}(?=\n|[-*#\d])|\bbut\b/i;
/** A new request ends the reach of an earlier negation; a list of names does not. */
const NEW_ORDER = new RegExp(`,\\s{0,9}(?:and\\s|but\\s)?(?=(?:${ORDER})\\b)`, 'i');
/** Only orders: "the parser does not stop" forbids nothing. */
const FORBIDS =
  /\b(?:do not|don['’]?t|never|must ?n(?:o|['’])t|should ?n(?:o|['’])t|shall not|may not|without|avoid|refrain|no need to|rather than|instead of|except(?: for)?|not to|no(?= (?:new|other|more|further|additional|changes?|tests?|dependenc|packages?|librar)))\b|\bnot (?=\S{1,80}$)|(?:^|,\s{0,3}|and )not\b/i;
/** "a.test.js must stay as it is" forbids what precedes it. */
const FORBIDS_ALL =
  /\b(?:must|should|may|shall|can)(?: ?not|n['’]?t| never) (?:be )?(?:chang|touch|edit|modif|remov|delet|alter|rewrit|break|broke|add|install|us|introduc|upgrad|bump|replac|skip)|\bunchanged\b|\buntouched\b|\bas (?:it|they) (?:is|are|was|were)\b|\boff[- ]limits\b|\bintact\b|\bleave\b.{1,200}\balone\b|\bkeep\b.{1,200}\bas\b/i;

export function clausesOf(task: string): Clause[] {
  return split(task.slice(0, MAX_TASK).replaceAll('\r', ''), SENTENCE_END)
    .flatMap((sentence) => split(sentence, NEW_ORDER))
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => ({ text, forbidsFrom: FORBIDS_ALL.test(text) ? 0 : (FORBIDS.exec(text)?.index ?? text.length) }));
}

function split(text: string, at: RegExp): string[] {
  return text.split(new RegExp(at.source, 'gi'));
}

/** What a task asks for. Made once for all rules. */
export class TaskWords {
  readonly clauses: readonly Clause[];

  constructor(task: string) {
    this.clauses = clausesOf(task);
  }

  get isEmpty(): boolean {
    return this.clauses.length === 0;
  }

  /** Whether some clause asks for this and does not forbid it. */
  asks(pattern: RegExp): boolean {
    return this.asking(pattern).length > 0;
  }

  /** The requesting parts of the clauses that match the pattern. */
  asking(pattern: RegExp): string[] {
    return this.clauses.map(({ text, forbidsFrom }) => text.slice(0, forbidsFrom)).filter((text) => pattern.test(text));
  }
}

export const REMOVAL =
  /\b(?:remov\w*|delet\w*|drop(?:s|ped|ping)?|get(?:ting)? rid of|rm|strip\w*|eliminat\w*|obsolete|redundant|unused|dead code|prun\w*|clean(?:s|ed|ing)?[ -]?up|cleanup|revert\w*|undo|roll(?:s|ed|ing)? back|back(?:s|ed|ing)? out|deprecat\w*|discontinu\w*|no longer support\w*|stop support\w*|end support\w*)\b/i;
export const REWORK =
  /\b(?:renam\w*|mov(?:e|es|ed|ing)|merg(?:e|es|ed|ing)|consolidat\w*|combin\w*|dedup\w*|deduplicat\w*|parametri[sz]\w*|refactor\w*|rewr[io]t\w*|rework\w*|replac\w*|split\w*|extract\w*|migrat\w*|convert\w*|reorgani[sz]\w*|restructur\w*|simplif\w*|unif(?:y|ie\w*)|port(?:s|ed|ing)?|switch\w*|overhaul\w*|swap\w*|inlin\w*|shorten\w*|reduc\w*|trim\w*|cut)\b/i;
export const REVERT =
  /\b(?:revert\w*|roll(?:s|ed|ing)?[ -]?back|rollback|back(?:s|ed|ing)?[ -]?out|restor\w*|reinstat\w*|(?:bring|put|mov|go|switch)\w* back|re-?add\w*|re-?introduc\w*|re-?land\w*|re-?appl\w*)\b/i;
