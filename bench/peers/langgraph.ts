/** The peer's side of (a), a process of its own: one node that runs in a loop, checkpointed after every step. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { textOf } from '../support.ts';

/** As much of the peer as is used here; it is not a dependency, so its own types are not at hand. */
type Graph = {
  addNode(name: string, node: (state: State) => State): Graph;
  addEdge(from: string, to: string): Graph;
  addConditionalEdges(from: string, choose: (state: State) => string): Graph;
  compile(options: { checkpointer: Saver }): { invoke(input: State, options: object): Promise<State> };
};
type State = { n: number; text: string };
type Saver = {
  readonly db: { pragma(text: string, options?: { simple: boolean }): unknown; close(): void };
  setup(): void;
};
type LangGraph = {
  readonly StateGraph: new (state: unknown) => Graph;
  readonly Annotation: { Root(fields: object): unknown } & (() => unknown);
  readonly START: string;
  readonly END: string;
};
type Order = { readonly file: string; readonly tasks: number; readonly steps: number; readonly bytes: number };

const require = createRequire(join(process.argv[2] ?? '', 'package.json'));
const { StateGraph, Annotation, START, END } = require('@langchain/langgraph') as LangGraph;
const { SqliteSaver } = require('@langchain/langgraph-checkpoint-sqlite') as {
  SqliteSaver: { fromConnString(file: string): Saver };
};

process.on('message', async (order: Order) => process.send?.({ taken: await run(order) }));

async function run({ file, tasks, steps, bytes }: Order): Promise<number> {
  const checkpointer = SqliteSaver.fromConnString(file);
  checkpointer.setup();
  checkpointer.db.pragma('synchronous=FULL');
  const mode = checkpointer.db.pragma('synchronous', { simple: true });
  if (mode !== 2) throw new Error(`the peer runs with synchronous=${mode}, not FULL (2)`);
  const state = Annotation.Root({ n: Annotation(), text: Annotation() });
  const graph = new StateGraph(state)
    .addNode('step', ({ n }) => ({ n: n + 1, text: textOf(bytes, `step ${n}`) }))
    .addEdge(START, 'step')
    .addConditionalEdges('step', ({ n }) => (n < steps ? 'step' : END))
    .compile({ checkpointer });
  const start = performance.now();
  const threads = Array.from({ length: tasks }, (_, n) =>
    graph.invoke(
      { n: 0, text: '' },
      { configurable: { thread_id: `t-${n}` }, recursionLimit: steps + 10, durability: 'sync' },
    ),
  );
  const ends = await Promise.all(threads);
  const taken = performance.now() - start;
  checkpointer.db.close();
  if (ends.some(({ n }) => n !== steps)) throw new Error('the peer did not run all steps');
  return taken;
}
