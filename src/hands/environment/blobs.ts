/** What git has at some paths of a commit or tree, without a checkout: mode and id, so that size does not matter. */
import { git } from '../../os/git/git.ts';

export async function blobsOf(
  commonDir: string,
  tree: string,
  paths: readonly string[],
): Promise<readonly (string | null)[]> {
  if (paths.length === 0) return [];
  const listed = await git(['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', tree, '--', ...paths], {
    dir: commonDir,
    env: { GIT_DIR: commonDir },
  });
  const found = new Map(
    listed.split('\0').flatMap((line) => {
      const [, what, path] = /^(\d+ \w+ [0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
      return what === undefined || path === undefined ? [] : [[path, what] as const];
    }),
  );
  return paths.map((path) => found.get(path) ?? null);
}
