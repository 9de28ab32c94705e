/**
 * The bridge: our small program that starts first in a sandbox with network access. It offers the proxy's socket as a
 * loopback port, writes the files a CLI needs, starts it, and exits as it does. Its plan comes first on standard input,
 * the CLI's own input after it.
 */
/** Not a usual port of development servers: their tests run beside it. */
export const BRIDGE_PORT = 40861;
export const BRIDGE_URL = `http://127.0.0.1:${BRIDGE_PORT}`;
/** Our paths inside the sandbox. */
export const EGRESS_SOCKET = '/run/supervisor/egress.sock';
export const INSIDE_DIR = '/run/supervisor/inside';
export const INSIDE_NODE = '/run/supervisor/node';

export type BridgePlan = {
  /** Absolute paths; directories are created, files are private. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly argv: readonly [string, ...string[]];
};

/**
 * The length of the plan in bytes, the plan as JSON, then the input unchanged. The bridge reads its plan and not a byte
 * more, so that the CLI itself can read on.
 */
export function bridgeInput(plan: BridgePlan, input: string): string {
  const json = JSON.stringify(plan);
  return `${new TextEncoder().encode(json).length}\n${json}${input}`;
}
