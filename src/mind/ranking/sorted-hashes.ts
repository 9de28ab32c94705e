/** Where a hash stands in a list of them that is in order; -1: it is not there. */
export function placeOfHash(hashes: Uint32Array, hash: number): number {
  const wanted = hash >>> 0;
  let from = 0;
  let to = hashes.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((hashes[middle] as number) < wanted) from = middle + 1;
    else to = middle;
  }
  return hashes[from] === wanted ? from : -1;
}
