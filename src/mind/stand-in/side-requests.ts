/** Answers side requests of clients: is the server there, which models it has, how long a prompt is. */
import type { Route } from './route.ts';
import type { Sending } from './sending.ts';

export function probeSending(route: Route): Sending {
  const json = (status: number, value: object): Sending => ({
    status,
    headers: { 'content-type': 'application/json' },
    chunks: [JSON.stringify(value)],
    end: 'whole',
    begins: true,
  });
  switch (route.to) {
    case 'count':
      return json(200, route.protocol === 'gemini' ? { totalTokens: 100 } : { input_tokens: 100 });
    case 'models':
      // Some read `data`, some read `models`.
      return json(200, {
        object: 'list',
        data: [{ id: 'stand-in', object: 'model', owned_by: 'stand-in' }],
        models: [],
      });
    case 'probe':
      return { ...json(200, {}), chunks: [] };
    case 'websocket':
      return json(426, { error: { message: 'stand-in: there is only HTTP here', type: 'upgrade_required' } });
    default:
      return json(404, { error: { message: 'stand-in: there is nothing here', type: 'not_found' } });
  }
}
