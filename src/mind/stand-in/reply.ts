/** One answer of a model before a protocol gives it its form. */

import type { Usage } from './scenario.ts';
import type { ToolCall } from './tool-call.ts';

export type Reply = {
  /** Unique on this server. */
  readonly id: string;
  readonly model: string;
  readonly text: string | null;
  readonly call: ToolCall | null;
  readonly usage: Usage;
  /** Seconds since 1970. */
  readonly created: number;
};

export type HttpRefusal = {
  readonly status: number;
  readonly message: string;
  readonly kind: string | null;
  readonly retryAfter: number | string | null;
};

/** One protocol's functions; each has its own file. */
export type Speech = {
  /** As server-sent events; each string is a complete one. */
  stream(reply: Reply): string[];
  whole(reply: Reply): object;
  refusal(refusal: HttpRefusal): object;
};

/** Also sets the event's name if the protocol names its events. */
export const event = (data: object, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

/** In pieces, as models stream: readers must join them. */
export function pieces(text: string): string[] {
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)].filter((piece) => piece !== '');
}
