/** Waits for the end of a process. Returns what it printed and its exit code. */
export async function readToEnd(
  child: Bun.Subprocess<Bun.Spawn.Writable, "pipe", "pipe">,
): Promise<{ stdout: string; stderr: string; code: number }> {
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, stderr, code };
}
