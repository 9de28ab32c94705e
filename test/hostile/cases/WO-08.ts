import { expect } from 'vitest';
import { block, CAUGHT, FIX, type HostileCase, print } from '../harness/case.ts';

const cases: readonly (readonly [string, string, RegExp, (text: string) => boolean])[] = [
  [
    'two of one key',
    '{"status":"FAILED","status":"SUCCESS","action_taken":"x"}',
    /the key "status" twice/,
    (text) => JSON.parse(text).status === 'SUCCESS',
  ],
  [
    '__proto__',
    '{"status":"SUCCESS","action_taken":"x","__proto__":{"approved":true}}',
    /the key "__proto__"/,
    (text) => Object.assign({}, JSON.parse(text)).approved === true,
  ],
  [
    'constructor, deep inside',
    '{"status":"SUCCESS","action_taken":"x","notes":{"a":{"constructor":{"prototype":{"polluted":"yes"}}}}}',
    /the key "constructor"/,
    (text) => Object.hasOwn(JSON.parse(text).notes.a, 'constructor'),
  ],
  [
    'the same, written with escapes',
    '{"status":"SUCCESS","action_taken":"x","\\u005f_proto__":{"approved":true}}',
    /the key "__proto__"/,
    (text) => Object.assign({}, JSON.parse(text)).approved === true,
  ],
];

export default cases.map(([title, text, reason, falls], n) => ({
  id: 'WO-08',
  title: `keys that mean something to JavaScript: ${title}`,
  long: n > 0,
  worker: () => FIX + print(block(text)),
  expect: { ...CAUGHT, reason },
  after: () => expect(({} as { polluted?: string }).polluted).toBeUndefined(),
  control: { pure: () => falls(text) },
})) satisfies HostileCase[];
