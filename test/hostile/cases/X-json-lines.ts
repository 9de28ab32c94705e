import { block, CAUGHT, FIX, GOOD, type HostileCase, print } from '../harness/case.ts';

const TEXT = block(GOOD);
const HIDDEN = `{"__proto__": {"result": ${JSON.stringify(TEXT)}}}`;

export default [
  {
    id: 'X-json-lines',
    title: 'a final text that is only there through the prototype',
    cli: 'prompt: stdin, output: jsonl, text_pointer: /result',
    worker: () => `${FIX}${print(HIDDEN)}`,
    expect: { ...CAUGHT, reason: /missing result/ },
    control: { pure: () => Object.assign({}, JSON.parse(HIDDEN)).result === TEXT },
  },
  {
    id: 'X-json-lines',
    title: 'a line of JSON without end, then a good one that is half said',
    cli: 'prompt: stdin, output: jsonl, text_pointer: /result',
    worker: () =>
      `${FIX}printf '{"result": "'; head -c 12000000 /dev/zero | tr '\\0' A; printf '"}\\n'; printf '%s' '${JSON.stringify({ result: TEXT }).slice(0, -1)}'\n`,
    expect: { ...CAUGHT, reason: /missing result/ },
    control: { naive: ({ said, bytes }) => bytes > 12_000_000 && said.includes('SUCCESS') },
  },
] satisfies HostileCase[];
