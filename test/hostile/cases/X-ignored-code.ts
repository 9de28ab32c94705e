import { CAUGHT, type HostileCase, print, SAYS } from '../harness/case.ts';

export default {
  id: 'X-ignored-code',
  title: 'works only with a file that is ignored and never lands',
  files: { '.gitignore': 'build/\n' },
  worker: () =>
    `mkdir build; echo 'export const value = () => 2;' >build/value.js\n${print("export { value } from '../build/value.js';").replace('cat <<', 'cat >src/a.js <<')}${SAYS}`,
  expect: { ...CAUGHT, reason: /gate failed: tests/ },
  control: { naive: ({ accepted, fixed, landed }) => accepted && !fixed && !landed.includes('build/value.js') },
} satisfies HostileCase;
