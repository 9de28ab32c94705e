/**
 * Reads Cobertura XML. Rates and sums are ignored; lines are counted once, though most tools list them by method and by
 * class.
 */
import { Collector, countOf, type FileRecords, lineOf, UnusableReport } from './collect.ts';
import type { Coverage } from './coverage.ts';
import { isAbsolutePath, type SourcePlaces, sourcePath, workspacePath } from './paths.ts';
import { xmlTokens } from './xml.ts';

const CONDITION = /^\d{1,3}(?:\.\d{1,20})?% ?\((\d{1,9})\/(\d{1,9})\)$/;
const MAX_ROOTS = 100;
const MAX_ROOT = 4096;

type OpenClass = { readonly records: FileRecords | null };

export function readCobertura(text: string, places: SourcePlaces): Coverage {
  const collector = new Collector();
  const roots = new Set<string>();
  let root: string | null = null;
  let source: string | null = null;
  let inClass: OpenClass | null = null;
  let classes = 0;
  for (const token of xmlTokens(text)) {
    if (token.type === 'problem') throw new UnusableReport(`it is not well-formed XML: ${token.problem}`);
    if (token.type === 'text') {
      if (source !== null) source += token.text;
      if (source !== null && source.length > MAX_ROOT) throw new UnusableReport('it names a source folder too long');
      continue;
    }
    if (token.type === 'close') {
      if (token.name === 'class') inClass = null;
      if (token.name !== 'source' || source === null) continue;
      roots.add(source.trim());
      if (roots.size > MAX_ROOTS) throw new UnusableReport(`it names more than ${MAX_ROOTS} source folders`);
      source = null;
      continue;
    }
    root ??= token.name;
    if (token.name === 'source') {
      if (classes > 0 || source !== null) throw new UnusableReport('its source folders are not named first');
      source = '';
    } else if (token.name === 'class') {
      const name = token.attributes.get('filename');
      if (name === undefined || inClass !== null) throw new UnusableReport('it has a class without a file name');
      const path = pathIn(name, roots, places);
      inClass = { records: path === null ? null : collector.file(path) };
      classes += 1;
    } else if (token.name === 'line') {
      if (inClass === null) throw new UnusableReport('it has a line that belongs to no class');
      readLine(token.attributes, inClass.records);
    }
  }
  if (root !== 'coverage') throw new UnusableReport('its root element is not `coverage`');
  return collector.coverage();
}

function readLine(attributes: ReadonlyMap<string, string>, records: FileRecords | null): void {
  const line = lineOf(attributes.get('number'), 'the number of a line');
  const hits = countOf(attributes.get('hits'), `the hits of line ${line}`);
  records?.line(line, hits);
  const condition = attributes.get('condition-coverage');
  if (condition === undefined) return;
  const [, covered, total] = CONDITION.exec(condition) ?? [];
  const what = `the condition coverage of line ${line}`;
  const counts = [countOf(covered, what), countOf(total, what)] as const;
  records?.branches(String(line), ...counts);
}

/** A file name is relative to one of the source folders; the report does not say to which. */
function pathIn(name: string, roots: ReadonlySet<string>, { isFile }: SourcePlaces): string | null {
  if (isAbsolutePath(name) || roots.size === 0) return sourcePath(name);
  const found = new Set<string>();
  for (const root of roots) {
    const inside = workspacePath(root);
    const path = inside === null ? null : sourcePath(`/workspace/${inside}/${name}`);
    if (path !== null && (roots.size === 1 || isFile === undefined || isFile(path))) found.add(path);
  }
  if (found.size > 1) throw new UnusableReport('it names several source folders, and a file could be in more than one');
  return [...found][0] ?? null;
}
