/** Prepares read candidates for the budget, each with its shorter versions. */
import { publicApi } from '../code/public-api.ts';
import { excerptsOf } from '../ranking/excerpt.ts';
import type { Terms } from '../ranking/terms.ts';
import type { ShownWish } from './candidates.ts';
import type { Offer } from './fit.ts';
import { excerptText, linesText } from './render.ts';

type OfferOptions = {
  /** The terms that select excerpts. */
  readonly terms: Terms;
  readonly estimate: (text: string) => number;
  /** The most tokens for one file of this kind. */
  readonly most: number;
};

/** `text` is redacted already. */
export function fileOffer(candidate: ShownWish, text: string, options: OfferOptions): Offer {
  const { most, ...given } = options;
  const { kind, path, score, why, show } = candidate;
  const api = show === 'api' || (kind === 'interfaces' && why.startsWith('public API'));
  const shown = api ? publicApi(path, text) : text;
  const excerpts = excerptsOf({ path, text: shown, ...given });
  return {
    kind,
    path,
    score,
    why,
    most,
    text: shown.replace(/\n$/, ''),
    lines: api ? 'public API' : null,
    shrink:
      show === 'whole'
        ? null
        : (room) => {
            const ranges = excerpts(room);
            if (ranges.length === 0) return null;
            return { text: excerptText(shown, ranges), lines: api ? 'part of the public API' : linesText(ranges) };
          },
  };
}

/** A diff is read from its start, so a long one loses its end. */
export function diffOffer(
  path: string,
  text: string,
  score: number,
  { estimate, most }: Pick<OfferOptions, 'estimate' | 'most'>,
): Offer {
  return {
    kind: 'git_diff' as const,
    path,
    text,
    score,
    most,
    why: 'changed by the task',
    lines: null,
    shrink: (room) => {
      const lines = text.split('\n');
      let used = 12;
      let taken = 0;
      for (const line of lines) {
        used += estimate(`${line}\n`);
        if (used > room) break;
        taken += 1;
      }
      if (taken < 8) return null;
      return {
        text: `${lines.slice(0, taken).join('\n')}\n[…] ${lines.length - taken} lines left out`,
        lines: `1-${taken}`,
      };
    },
  };
}
