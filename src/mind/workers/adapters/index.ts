/** All CLIs that Supervisor knows. Any other can be declared in the config, without sessions and costs. */
import type { Adapter } from '../adapter.ts';
import { acp } from './acp.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { cursor } from './cursor.ts';
import { gemini } from './gemini.ts';
import { http } from './http.ts';
import { opencode } from './opencode.ts';

export const ADAPTERS: Readonly<Record<string, Adapter>> = {
  claude,
  codex,
  copilot,
  cursor,
  gemini,
  opencode,
  acp,
  http,
};
