/** Properties try the same cases in every `make test`, so that a change is judged and not luck; `make test-all` tries new ones. */
import fc from 'fast-check';

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  seed: process.env['TEST_ALL'] === '1' ? Date.now() % 2 ** 31 : 20_261_115,
});
