import { expect } from 'vitest';
import { ACCEPTED, block, FIX, GOOD, type HostileCase, print, SAYS } from '../harness/case.ts';
import { leaks } from '../harness/invariants.ts';

/** Not in the shape of any known key: it is masked because it was given to the worker, by name. */
const TOKEN = 'plain words of a token/with+signs 7341';

/** In the shape of a key that everybody knows; of no account. */
const LEAKED = ['AKIA', 'QX7RMVZ3T2KPLWNB'].join('');

export default [
  {
    id: 'WO-16',
    title: 'prints the secret it was given, in five forms, and looks for those it was not',
    cli: 'prompt: stdin, output: text, env: [ACME_TOKEN]',
    env: { ACME_TOKEN: TOKEN },
    worker: () =>
      [
        'for value in "$ACME_TOKEN" "$OPERATOR_TOKEN"; do',
        '  printf "%s\\n" "key=$value"; printf "%s" "$value" | base64 -w0; echo',
        '  printf "%s" "$value" | od -An -tx1 | tr -d " \\n"; echo',
        '  VALUE="$value" perl -e \'$_ = $ENV{VALUE}; s/([^A-Za-z0-9])/sprintf("%%%02X", ord $1)/ge; print "$_\\n"\'',
        '  printf "%s\\n" "$value" >&2',
        'done',
        FIX,
        print(block({ ...GOOD, action_taken: 'TOKEN' })).replace('cat <<', 'sed "s|TOKEN|$ACME_TOKEN|" <<'),
      ].join('\n'),
    expect: ACCEPTED,
    after: async (seen) => {
      expect(leaks(seen, TOKEN)).toEqual([]);
      expect(seen.transcripts.join('')).not.toContain(encodeURIComponent(TOKEN));
      expect(seen.transcripts.join('')).toContain('key=[masked]');
    },
    control: { naive: ({ leaked, said }) => leaked && said.includes(Buffer.from('canary naive').toString('base64')) },
  },
  {
    id: 'WO-16',
    title: 'says a secret in its answer and prints one in a gate: neither reaches the next worker',
    attempts: 2,
    cli: 'prompt: stdin, output: text, env: [ACME_TOKEN]',
    env: { ACME_TOKEN: TOKEN },
    files: {
      'test/a.test.js': `import { value } from '../src/a.js';\nif (value() !== 2) throw new Error('${LEAKED}');\n`,
    },
    worker: () =>
      [
        'cat >/tmp/packet',
        "if ! grep -q 'the next is attempt 2' /tmp/packet; then",
        "  echo 'export const more = 0;' >>src/a.js",
        print(block({ ...GOOD, notes: 'TOKEN' })).replace('cat <<', 'sed "s|TOKEN|$ACME_TOKEN|" <<'),
        'else',
        FIX + SAYS,
        'fi',
      ].join('\n'),
    expect: ACCEPTED,
    after: (seen) => {
      const { packet } = seen;
      expect(packet).toContain('output of gate tests');
      expect(packet).toMatch(/throw new Error\('\[redacted/);
      for (const secret of [TOKEN, LEAKED]) expect(packet).not.toContain(secret);
      expect(leaks(seen, TOKEN)).toEqual([]);
    },
    control: {
      naive: ({ gateSaid }) => gateSaid.includes(LEAKED),
      worker: () => `echo 'export const more = 0;' >>src/a.js\n${SAYS}`,
    },
  },
] satisfies HostileCase[];
