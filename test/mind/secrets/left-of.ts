import { findSecrets } from '../../../src/mind/secrets/scan.ts';

/** What is left of a text when each secret that is found is a `…`. */
export function leftOf(text: string): string {
  let rest = '';
  let end = 0;
  for (const { from, to } of findSecrets(text)) {
    rest += `${text.slice(end, from)}…`;
    end = to;
  }
  return rest + text.slice(end);
}
