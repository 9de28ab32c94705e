/** The graph of imports over files or over groups of them, and the cycles in it. */
import { dirname, join } from 'node:path/posix';
import { importsOf } from './scan-source.ts';

export type Source = { readonly path: string; readonly text: string };
/** From a group to those it imports, each with one file that does. */
type Graph = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Imports between groups of files. With `groupOf` the file itself, between files. Type imports count. */
export function importGraph(sources: readonly Source[], groupOf: (path: string) => string): Graph {
  const graph = new Map(sources.map(({ path }) => [groupOf(path), new Map<string, string>()]));
  for (const { path, text } of sources)
    for (const { from } of importsOf(text)) {
      if (!from.startsWith('.')) continue;
      const [one, other] = [groupOf(path), groupOf(join(dirname(path), from))];
      if (one !== other && graph.has(other)) graph.get(one)?.set(other, path);
    }
  return graph;
}

/** For each node that lies on a cycle, a shortest one; a cycle is told once, not once for each of its nodes. */
export function cyclesIn(graph: Graph): string[] {
  const cycles = [...graph.keys()].flatMap((node) => {
    const cycle = shortestCycle(graph, node);
    return cycle === null ? [] : [startingWithFirst(cycle)];
  });
  return [...new Set(cycles.map((cycle) => shown(graph, cycle)))].sort();
}

/** `a → b → a`; of a group, with the file that imports the next one. */
function shown(graph: Graph, cycle: readonly string[]): string {
  const [first = ''] = cycle;
  const nodes = cycle.map((node, at) => {
    const file = graph.get(node)?.get(cycle[at + 1] ?? first) ?? node;
    return file === node ? node : `${node} (${file})`;
  });
  return [...nodes, first].join(' → ');
}

/** The nodes of a shortest way from `start` back to it; null: there is none. */
function shortestCycle(graph: Graph, start: string): string[] | null {
  const before = new Map<string, string>();
  const queue = [start];
  for (const node of queue)
    for (const next of graph.get(node)?.keys() ?? []) {
      if (next === start) {
        const way = [node];
        for (let at = node; at !== start; way.unshift(at)) at = before.get(at) ?? start;
        return way;
      }
      if (!before.has(next)) {
        before.set(next, node);
        queue.push(next);
      }
    }
  return null;
}

function startingWithFirst(cycle: readonly string[]): string[] {
  const at = cycle.indexOf([...cycle].sort()[0] ?? '');
  return [...cycle.slice(at), ...cycle.slice(0, at)];
}
