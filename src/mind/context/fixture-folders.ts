/** Folders of test data: many similar files, of which two show what the others are like. */

export const MAX_OF_FIXTURE_FOLDER = 2;

const FIXTURES = /^(?:__)?(?:test[-_]?)?(?:fixtures?|testdata|test[-_]data|snapshots?|golden|testcases)(?:__)?$/i;

/**
 * The folder of one case (`test/fixtures/case-1`), or the folder of all cases for a file directly in it; null if it is
 * no fixture.
 */
function fixtureFolderOf(path: string): string | null {
  const names = path.split('/').slice(0, -1);
  const at = names.findIndex((name) => FIXTURES.test(name));
  return at < 0 ? null : names.slice(0, at + 2).join('/');
}

/** Whether one more file may be taken: at most two of each fixture folder are. */
export function fixtureLimit(): (path: string) => boolean {
  const taken = new Map<string, number>();
  return (path) => {
    const folder = fixtureFolderOf(path);
    if (folder === null) return true;
    const before = taken.get(folder) ?? 0;
    taken.set(folder, before + 1);
    return before < MAX_OF_FIXTURE_FOLDER;
  };
}
