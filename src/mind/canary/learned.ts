/** What the canary learned at a base, as text that another process can parse. */
import * as v from 'valibot';

const count = v.pipe(v.number(), v.minValue(0));
const live = v.object({
  planted: count,
  places: v.array(v.string()),
  red: v.array(
    v.object({ kind: v.picklist(['inside', 'altered']), path: v.string(), test: v.string(), beside: v.string() }),
  ),
  noticed: count,
  ms: count,
});
const defect = v.object({ path: v.string(), tests: v.array(v.string()) });

/** Returns null if the text is something else, or truncated. */
export const readLive = (text: string): v.InferOutput<typeof live> | null => parsed(live, text);
export const readDefect = (text: string): v.InferOutput<typeof defect> | null => parsed(defect, text);

function parsed<S extends v.GenericSchema>(schema: S, text: string): v.InferOutput<S> | null {
  try {
    const found = v.safeParse(schema, JSON.parse(text));
    return found.success ? found.output : null;
  } catch {
    return null;
  }
}
