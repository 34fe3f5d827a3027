/** How long work takes the processor, which tells the same on a machine that does other things as well. */

/** Milliseconds of processor time, in all threads of this process, until the work is done. */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
