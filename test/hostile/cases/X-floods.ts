import { ACCEPTED, FIX, type HostileCase, SAYS } from '../harness/case.ts';

/** Almost all that may be printed, of texts that a search for secrets could take long for, or a transcript could swell by. */
const TEXTS = ['-----BEGIN RSA PRIVATE KEY-----\\n', '\\e', '\\n', 'https://user:'];

export default TEXTS.map((text, n) => ({
  id: 'X-floods',
  title: `7.5 MB of ${text}`,
  long: n > 0,
  worker: () => `${FIX}perl -e 'my $s = "${text}"; print $s x (7_500_000 / length $s)'; echo\n${SAYS}`,
  expect: ACCEPTED,
  control: { naive: ({ bytes }) => bytes > 7_000_000 },
})) satisfies HostileCase[];
