import type { SandboxRequest } from '../../../engine/ports/sandbox.ts';

/** For walls that are built when all is there. The time that it took counts: a deadline does not move. */
export async function withInput(request: SandboxRequest): Promise<SandboxRequest & { readonly input: string }> {
  const began = performance.now();
  const input = await request.input;
  const { policy } = request;
  const limits = { ...policy.limits, wallMs: wallLeft(policy.limits.wallMs, began) };
  return { ...request, input, policy: { ...policy, limits } };
}

export const wallLeft = (wallMs: number, began: number): number => Math.max(1, wallMs - (performance.now() - began));
