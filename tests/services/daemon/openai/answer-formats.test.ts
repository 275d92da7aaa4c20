import { expect, test } from "bun:test";
import { AnswerFormats } from "../../../../src/services/daemon/openai/answer-formats.ts";

const schema = (n: number) => ({ type: "object", properties: { [`field${n}`]: { type: "string" } } });

test("a shape is compiled once for the same name and schema, and the least recent is forgotten", async () => {
  const formats = new AnswerFormats();
  const get = (n: number, name = "x") => formats.get(name, schema(n), "response_format");
  const first = await get(0);
  expect(await get(0)).toBe(first);
  expect(await get(0, "y")).not.toBe(first);
  for (let n = 1; n <= 32; n++) await get(n);
  expect(await get(0)).not.toBe(first);
});

test("shapes that are asked for together are compiled one a pass of the event loop", async () => {
  const formats = new AnswerFormats();
  const done: string[] = [];
  const compiling = Array.from({ length: 3 }, async (_, n) => {
    await formats.get("x", schema(n), "response_format");
    done.push(`shape ${n}`);
  });
  const other = new Promise<void>((resolve) =>
    setImmediate(() => {
      done.push("request");
      resolve();
    }),
  );
  await Promise.all([...compiling, other]);
  expect(done.indexOf("request")).toBeLessThan(2);
  expect(done.filter((one) => one !== "request")).toEqual(["shape 0", "shape 1", "shape 2"]);
});
