/** Applies a person's choices to a suggestion: other packs, other gates, no environment. */
import type { Suggestion } from './detect.ts';

export type InitChoice = {
  readonly packs: readonly string[];
  /** Names of suggested gates, or of optional ones. */
  readonly gates: readonly string[];
  readonly environment: boolean;
};

/** The choice of Enter. */
export const asSuggested = ({ packs, gates }: Suggestion): InitChoice => ({
  packs: packs.filter((pack) => pack.suggested).map((pack) => pack.name),
  gates: gates.map((gate) => gate.name),
  environment: true,
});

export function chosen(suggestion: Suggestion, choice: InitChoice): Suggestion {
  const wanted = (gate: { readonly name: string }) => choice.gates.includes(gate.name);
  const all = [...suggestion.gates, ...suggestion.ideas];
  return {
    ...suggestion,
    packs: suggestion.packs.map((pack) => {
      const suggested = choice.packs.includes(pack.name);
      if (suggested === pack.suggested) return pack;
      return { ...pack, suggested, reason: suggested ? 'chosen by a person' : `not wanted (${pack.reason})` };
    }),
    gates: all.filter(wanted),
    ideas: all.filter((gate) => !wanted(gate)),
    environment: choice.environment ? suggestion.environment : null,
  };
}

/** The answer to a list: an empty one means yes; names mean exactly those. */
export function readAnswer(
  answer: string,
  suggested: readonly string[],
  known: readonly string[],
): { readonly type: 'names'; readonly names: readonly string[] } | { readonly type: 'unknown'; readonly name: string } {
  const words = answer
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((word) => word !== '');
  const [word] = words;
  if (word === undefined || (words.length === 1 && /^y(?:es)?$/.test(word))) return { type: 'names', names: suggested };
  if (words.length === 1 && /^(?:no?|none)$/.test(word)) return { type: 'names', names: [] };
  const stranger = words.find((one) => !known.includes(one));
  return stranger === undefined ? { type: 'names', names: [...new Set(words)] } : { type: 'unknown', name: stranger };
}
