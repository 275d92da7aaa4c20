/** Resolves when `isSo` returns true; the test's own time limit bounds it. */
export async function untilTrue(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await Bun.sleep(20);
}
