import { expect, test } from "bun:test";

test("the reference says what the schemas say", async () => {
  const script = new URL("../../scripts/generate-reference.ts", import.meta.url).pathname;
  const child = Bun.spawn([process.execPath, script, "--check"], { stderr: "pipe" });
  const complaints = await new Response(child.stderr).text();
  expect(complaints).toBe("");
  expect(await child.exited).toBe(0);
});
