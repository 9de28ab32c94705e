/** The form that each protocol gives to an answer. */
import { anthropic } from './anthropic.ts';
import { chat } from './chat.ts';
import { gemini } from './gemini.ts';
import type { Speech } from './reply.ts';
import { responses } from './responses.ts';
import type { Protocol } from './scenario.ts';

export const SPEECHES: Readonly<Record<Protocol, Speech>> = { anthropic, responses, chat, gemini };
