/**
 * The ratio of a model's own token count to that of our encoding (o200k). Vendors do not publish these encodings:
 * except for o200k itself, a value is somebody's measurement, or a guess.
 */
export type Factor = {
  readonly factor: number;
  /** False if it was not measured, and the factor is a cautious guess. */
  readonly known: boolean;
};

type TokenFactor = { readonly cli: RegExp; readonly model: RegExp; readonly factor: number; readonly known: boolean };

/** The first match counts; an unnamed model is the newest of its CLI. */
const FACTORS: readonly TokenFactor[] = [
  // OpenAI's models since GPT-4o use o200k itself (openai/tiktoken, model.py).
  { cli: /^/, model: /^(?:openai\/)?(?:gpt-(?:4o|4\.1|[5-9]|oss)|o[1-9]|chatgpt|codex)/, factor: 1, known: true },
  { cli: /^codex$/, model: /^$/, factor: 1, known: true },
  // sammcj/ingest, issue 65: 1.18 for the Claude models before 4.7, 1.53 since; a third party's claim, not checked by
  // us.
  {
    cli: /^/,
    model: /^(?:anthropic\/)?claude-(?:[123]\b|3-|[a-z]+-4(?:-[0-6])?(?:-\d{8})?$)/,
    factor: 1.18,
    known: true,
  },
  { cli: /^/, model: /^(?:anthropic\/)?claude-/, factor: 1.53, known: true },
  { cli: /^claude$/, model: /^/, factor: 1.53, known: true },
];

/** The largest known value: too little context is better than a refused request. */
const UNKNOWN: Factor = { factor: 1.53, known: false };

export function factorOf(cli: string, model: string | null): Factor {
  const found = FACTORS.find((entry) => entry.cli.test(cli) && entry.model.test(model ?? ''));
  return found === undefined ? UNKNOWN : { factor: found.factor, known: found.known };
}
