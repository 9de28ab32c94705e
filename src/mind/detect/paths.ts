/** Parts of a path as git writes it. */

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Empty at the top. */
export const dirName = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

export const joinPath = (dir: string, name: string): string => (dir === '' ? name : `${dir}/${name}`);

const ASIDE =
  /^(?:examples?|samples?|demos?|playgrounds?|fixtures|testdata|tests?|__tests__|e2e|docs?|website|templates?|template-.*|bench(?:marks?)?|scripts|tools)$/i;

/** A folder of what is not the product, though manifests may lie there. */
export const isAside = (dir: string): boolean => dir.split('/').some((name) => ASIDE.test(name));
