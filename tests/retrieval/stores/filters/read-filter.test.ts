import { expect, test } from "bun:test";
import type { AppError } from "../../../../src/kit/app-error.ts";
import { readFilter } from "../../../../src/retrieval/stores/filters/read-filter.ts";

test("a plain value means equality; the rest stays as it is", () => {
  const written = {
    lang: "en",
    year: { gte: 2020, lt: 2024 },
    tag: { in: ["a", "b"] },
    open: false,
    "a.b": { eq: 0 },
  };
  expect({ ...readFilter(written) }).toEqual({ ...written, lang: { eq: "en" }, open: { eq: false } });
  expect({ ...readFilter({}) }).toEqual({});
  expect(Object.keys(readFilter(JSON.parse('{"__proto__": "x"}')))).toEqual(["__proto__"]);
});

test.each<[unknown, string, RegExp]>([
  [null, "filter", /object/],
  ["lang=en", "filter", /object/],
  [[{ lang: "en" }], "filter", /object/],
  [{ lang: null }, "filter.lang", /text, a number/],
  [{ lang: ["en"] }, "filter.lang", /\{"in": \[...\]\}/],
  [{ lang: {} }, "filter.lang", /one of/],
  [{ lang: { equals: "en" } }, "filter.lang.equals", /no `equals`/],
  [{ year: { $gte: 1 } }, "filter.year.$gte", /did you mean `gte`/],
  [{ year: { eq: 1, gt: 0 } }, "filter.year", /alone/],
  [{ year: { eq: null } }, "filter.year.eq", /value/],
  [{ year: { eq: Number.NaN } }, "filter.year.eq", /value/],
  [{ tag: { in: [] } }, "filter.tag.in", /1 to 256/],
  [{ tag: { in: "a" } }, "filter.tag.in", /list/],
  [{ tag: { in: Array(257).fill("a") } }, "filter.tag.in", /1 to 256/],
  [{ tag: { in: ["a", {}] } }, "filter.tag.in[1]", /value/],
  [{ open: { gt: true } }, "filter.open.gt", /no order/],
  [{ year: { gt: 1, lt: "2" } }, "filter.year", /all numbers or all texts/],
  [{ year: { gt: [1] } }, "filter.year.gt", /value/],
  [{ "": "x" }, "filter", /1 to 255/],
  [{ ["x".repeat(256)]: 1 }, "filter", /1 to 255/],
  [{ [".".repeat(17)]: 1 }, "filter", /16 dots/],
  [{ lang: "x".repeat(1025) }, "filter.lang", /1024/],
  [Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`k${at}`, 1])), "filter", /32 keys/],
])("%j is refused at %s", (written, path, message) => {
  let refused: AppError | undefined;
  try {
    readFilter(written);
  } catch (thrown) {
    refused = thrown as AppError;
  }
  expect(refused).toMatchObject({ code: "invalid_request", status: 400 });
  expect(refused?.details.problems).toEqual([{ path, message: expect.stringMatching(message) }]);
});

test("every fault is named, below the caller's own path; characters are code points", () => {
  const written = { a: null, b: { gt: true }, c: "😀".repeat(1024) };
  try {
    readFilter(written, "spec.retrieval.filters");
    expect.unreachable();
  } catch (thrown) {
    const paths = (thrown as AppError).details.problems?.map(({ path }) => path);
    expect(paths).toEqual(["spec.retrieval.filters.a", "spec.retrieval.filters.b.gt"]);
  }
});
