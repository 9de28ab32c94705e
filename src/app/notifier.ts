/** Sends notifications. Loaded with the first message, because it needs TLS, which most commands never use. */
import type { Hands } from '../engine/ports/hands.ts';
import type { AppLog } from '../engine/ports/surroundings.ts';
import { childVariables, type Environment } from './config/environment.ts';
import { loadUserConfig } from './config/files.ts';

export const notifierFor = (environment: Environment, log: AppLog): Hands['notifier'] => ({
  async run(effect, work, context) {
    const [{ notifier }, { find, systemResolve, trusted }] = await Promise.all([
      import('../hands/notify/notifier.ts'),
      import('../hands/egress/connect.ts'),
    ]);
    const hand = notifier({
      log,
      // Only the user's own config file counts; it is read at each message.
      channels: () => loadUserConfig(environment).config.notify ?? [],
      env: (name) => environment.variable(name),
      variables: () => childVariables(environment),
      find: (host, allowPrivate) => find(systemResolve, host, allowPrivate),
      trusted,
    });
    return hand.run(effect, work, context);
  },
});
