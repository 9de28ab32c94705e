/** Parts of a path as git writes it. */

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Empty at the top. */
export const dirName = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

export const joinPath = (dir: string, name: string): string => (dir === '' ? name : `${dir}/${name}`);

/** Hidden folders, examples, fixtures, all kinds of tests, documentation, development tools. */
const ASIDE = new RegExp(
  `^(?:${[
    /\..+/,
    /(?:.+[-_.])?(?:examples?|samples?|demos?|playgrounds?|fixtures?|tests?|e2e|benchmarks?)/,
    /(?:tests?|e2e|example|template)[-_].+/,
    /__?(?:tests?|fixtures?|mocks?)__?/,
    /testdata|integration|acceptance|smoke|specs?|cypress|playwright|mocks?|docs?|website|templates?|bench(?:es)?|scripts|tools|ci/,
  ]
    .map((one) => one.source)
    .join('|')})$`,
  'i',
);

/** A folder that is not part of the product, though it may have manifests. */
export const isAside = (dir: string): boolean => dir.split('/').some((name) => ASIDE.test(name));
