/** A model request in one form for all protocols. */
import type { Protocol } from './scenario.ts';

export type OfferedTool = {
  readonly name: string;
  /** `free`: takes any text instead of JSON. */
  readonly takes: 'json' | 'free';
  /** The JSON Schema of its arguments; empty if there is none. */
  readonly schema: JsonSchema;
  readonly description: string;
};

export type JsonSchema = {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
};

export type ModelRequest = {
  readonly protocol: Protocol;
  /** `side`: beside the conversation (titles, routing, probes of a quota); takes no turn. */
  readonly kind: 'main' | 'side';
  readonly key: string | null;
  readonly model: string;
  readonly stream: boolean;
  readonly tools: readonly OfferedTool[];
  /** How many model answers its history contains. */
  readonly answered: number;
  /** The required form of the answer, if the request gives one. */
  readonly schema: JsonSchema | null;
};

type RequestFields = Readonly<Record<string, unknown>>;

export const fields = (value: unknown): RequestFields =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as RequestFields) : {};
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const string = (value: unknown): string => (typeof value === 'string' ? value : '');
export const schemaOf = (value: unknown): JsonSchema => fields(value) as JsonSchema;

/** All text inside a value; prompts are a string, or lists of parts. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  const { text, content, parts } = fields(value);
  return [text, content, parts]
    .filter((part) => part !== undefined)
    .map(textOf)
    .join('\n');
}

/** Several items in a row are one answer: text and the tools it called. */
export function answersIn(history: readonly unknown[], isAnswer: (item: RequestFields) => boolean): number {
  return history.filter((item, at) => isAnswer(fields(item)) && !(at > 0 && isAnswer(fields(history[at - 1])))).length;
}

/** By the wording of the CLIs' side prompts, as seen on 2026-11-15; so a main request without tools stays one. */
const SIDE_PROMPT =
  /\btitle generator\b|generate a (?:short|brief|concise)[^.]{0,80}\btitle\b|\bTask Routing AI\b|is(?:New)?Topic\b/i;

export const isSidePrompt = (text: string): boolean => SIDE_PROMPT.test(text.slice(0, 20_000));
