/** Seconds of CPU time that this thread takes for something: what else the machine does meanwhile does not count. */
export function cpuSeconds(work: () => unknown): number {
  const began = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1e6;
}
