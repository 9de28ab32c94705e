/** As on a machine that is suspended or far too busy: nothing of this process runs for a while. */
export const standStill = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};
