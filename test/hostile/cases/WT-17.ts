import { expect } from 'vitest';
import { CAUGHT, FIX, type HostileCase, SAYS } from '../harness/case.ts';

const LOCK = '{"name": "demo", "lockfileVersion": 3, "packages": {}}\n';
const EVIL = '{"packages": {"node_modules/left-pad": {"resolved": "file:../x.tgz", "integrity": ""}}}';

export default [
  {
    id: 'WT-17',
    title: 'another registry',
    files: { 'package-lock.json': LOCK },
    worker: () => `${FIX}echo 'registry=http://packages.invalid/' >.npmrc; echo '${EVIL}' >package-lock.json\n${SAYS}`,
    expect: { ...CAUGHT, reason: /\.npmrc/ },
    control: { naive: ({ landed }) => landed.includes('.npmrc') },
  },
  {
    id: 'WT-17',
    title: 'another lock file: no gate runs in an environment that nobody asked for',
    files: { 'package-lock.json': LOCK, '.gitignore': 'node_modules/\n' },
    config: 'environment: {prepare: "mkdir -p node_modules", key: [package-lock.json], outputs: [node_modules]}',
    worker: () => `${FIX}echo '${EVIL}' >package-lock.json\n${SAYS}`,
    expect: { code: 3, status: 'not closed' },
    after: (seen) => {
      expect(seen.of('step.waiting')).toMatchObject([
        { asks: 'environment', reason: expect.stringContaining('left-pad') },
      ]);
      expect(seen.of('gate.reported')).toEqual([]);
    },
    control: { look: 'cat repository/package-lock.json', naive: ({ looked }) => looked.includes('left-pad') },
  },
] satisfies HostileCase[];
