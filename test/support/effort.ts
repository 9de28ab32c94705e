/** How much is tried: `make test` has minutes, `make test-all` has as long as it takes. */
export const ALL = process.env['TEST_ALL'] === '1';
