/** Where a link inside a sealed output may lead: only to what exists in every sandbox that sees the output. */
import { isInside, SYSTEM_PATHS } from '../sandbox/paths.ts';
import { ENV_PATH, TREE_PATH } from './plan.ts';

/** `at` is the link's own path in the sandbox; `tools` are the paths of tool chains there. */
export function linkProblem(at: string, target: string, tools: readonly string[]): string | null {
  const end = resolve(at, target);
  const places = [TREE_PATH, ENV_PATH, ...SYSTEM_PATHS, ...tools];
  if (places.some((place) => isInside(place, end))) return null;
  return `${at} is a link to ${target}, which is not there in a sandbox`;
}

/** By text alone: a link on the way is judged separately. */
function resolve(at: string, target: string): string {
  const parts = target.startsWith('/') ? [] : at.split('/').slice(1, -1);
  for (const part of target.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}
