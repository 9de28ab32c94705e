/** One form for all paths that some file system takes as equal: protection must not depend on the checkout. */

/**
 * Ignores letter case (with letters such as a long s that only upper case reveals), composed accents, invisible code
 * points (HFS+ ignores some of them), and the dots, spaces and streams that NTFS drops from the end of a name.
 */
export function folded(path: string): string {
  // Called for every file of a tree: nearly all are plain.
  if (/^[\w./-]*$/.test(path) && !/\.(?:\/|$)/.test(path)) return path.toLowerCase();
  return path
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .normalize('NFC')
    .toUpperCase()
    .toLowerCase()
    .split('/')
    .map(withoutTail)
    .join('/');
}

/** By hand: `[. ]+$` tries every run of dots again, which is quadratic on a long name of them. */
function withoutTail(name: string): string {
  const stream = name.indexOf(':', 1);
  let end = stream < 0 ? name.length : stream;
  while (end > 0 && (name[end - 1] === '.' || name[end - 1] === ' ')) end -= 1;
  return end === 0 ? name : name.slice(0, end);
}
