import { expect } from 'vitest';
import { ACCEPTED, block, FIX, GOOD, type HostileCase, print } from '../harness/case.ts';
import { leaks } from '../harness/invariants.ts';

/** Not in the shape of any known key: it is masked because it was given to the worker, by name. */
const TOKEN = 'plain words of a token/with+signs 7341';

export default {
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
} satisfies HostileCase;
