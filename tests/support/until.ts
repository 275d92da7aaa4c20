/** Waits until something is so, and asks seldom enough that the asking takes no time from what is awaited. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await Bun.sleep(50);
}
