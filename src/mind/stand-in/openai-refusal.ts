/** How OpenAI, and servers with its protocol, refuse. */
import type { HttpRefusal } from './reply.ts';

export function openAiRefusal({ status, message, kind }: HttpRefusal): object {
  const [type, code] = KINDS[status] ?? (status < 500 ? ['invalid_request_error', null] : ['server_error', null]);
  return { error: { message, type: kind ?? type, param: null, code: kind ?? code } };
}

const KINDS: Readonly<Record<number, readonly [string, string | null]>> = {
  401: ['invalid_request_error', 'invalid_api_key'],
  429: ['requests', 'rate_limit_exceeded'],
};
