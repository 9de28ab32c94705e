import type { SandboxRequest } from '../../../engine/ports/sandbox.ts';

/** For walls that are built when all is there. */
export async function withInput(request: SandboxRequest): Promise<SandboxRequest & { readonly input: string }> {
  const { policy, input } = request;
  if (typeof input === 'string') return { ...request, input };
  const text = await input.text;
  return { ...request, input: text, policy: { ...policy, limits: { ...policy.limits, wallMs: input.wallMs() } } };
}
