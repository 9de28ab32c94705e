/** Reads a scenario that a person wrote: YAML, of which JSON is a part. */
import { parseFile, problemText } from '../../mind/config/parse-file.ts';
import { type Scenario, scenario } from '../../mind/stand-in/scenario.ts';
import { readTextFile } from '../../os/files/text-file.ts';

/** Throws with file, line and column of what is wrong. */
export function readScenario(file: string): Scenario {
  const text = readTextFile(file);
  if (typeof text !== 'string') throw new TypeError(text.message);
  const parsed = parseFile(scenario, text, file);
  if (parsed.type === 'problem') throw new TypeError(problemText(parsed));
  return parsed.value;
}
