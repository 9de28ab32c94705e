/** The script that a task carries. */
import * as v from 'valibot';
import type { Spec } from '../domain/values.ts';
import { PLAIN_SCRIPT, type Script, storedScript } from './script.ts';

const parsed = new WeakMap<Spec, Script>();

/** Parsed once per task; a spec never changes. */
export function scriptOf(spec: Spec): Script {
  if (spec.script === undefined) return PLAIN_SCRIPT;
  const known = parsed.get(spec);
  if (known !== undefined) return known;
  const value = v.parse(storedScript, spec.script);
  parsed.set(spec, value);
  return value;
}
