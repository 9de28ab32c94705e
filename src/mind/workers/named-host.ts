/** A CLI in a sandbox only knows the address of our bridge, but a person needs the real server's name. */
import type { OutcomeClass } from '../domain/values.ts';
import { BRIDGE_PORT } from './bridge.ts';

const BRIDGE = new RegExp(String.raw`(?:https?:\/\/)?(?:127\.0\.0\.1|localhost):${BRIDGE_PORT}`, 'g');

type AskedHost = {
  readonly kind: 'connect' | 'http' | 'route';
  readonly host: string;
  readonly port: number | null;
  /** Why it was refused or failed, if so. */
  readonly reason: string | null;
};

/** The reason of a failed attempt with the server's name from the proxy's record. */
export function namingHost(reason: string, outcome: OutcomeClass, decisions: readonly AskedHost[]): string {
  const failed = decisions.findLast((one) => one.reason !== null && one.kind !== 'http');
  const asked = decisions.findLast(({ kind }) => kind === 'route') ?? failed;
  if (asked === undefined || asked.host === '') return reason;
  const server =
    asked.port === null || asked.port === 443 || asked.port === 80 ? asked.host : `${asked.host}:${asked.port}`;
  const named = reason.replaceAll(BRIDGE, server);
  return outcome === 'transient' && !named.includes(asked.host) ? `${named} (server: ${server})` : named;
}
