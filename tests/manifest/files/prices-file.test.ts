import { describe, expect, test } from "bun:test";
import { pricesFileKind } from "../../../src/manifest/files/prices-file.ts";
import { checkFile } from "../../../src/manifest/schema/manifest-kind.ts";

const file = (vendor: object, more: object = {}) =>
  JSON.stringify({
    vendors: {
      acme: { source: "a page", taken: "2026-01-31", hosts: ["api.acme.example"], models: {}, ...vendor },
      ...more,
    },
  });

const problemsOf = (text: string) => {
  const checked = checkFile(pricesFileKind, text, () => undefined);
  return "problems" in checked ? checked.problems.map(({ path, message }) => `${path} ${message}`) : [];
};

test("a table of prices is read, fractions and months included", () => {
  const text = `
vendors:
  acme:
    source: a page
    taken: 2026-01
    hosts: [api.acme.example]
    models:
      big: {in: 37.5, out: 0, cached: 0.1, written: 50, up_to: 200000}
`;
  const checked = checkFile(pricesFileKind, text, () => undefined);
  expect("manifest" in checked && checked.manifest.vendors.acme?.models).toEqual({
    big: { in: 37.5, out: 0, cached: 0.1, written: 50, up_to: 200_000 },
  });
});

describe("what is refused, with its place", () => {
  test.each<[string, string, string]>([
    ["a negative price", file({ models: { big: { in: -1, out: 1 } } }), "vendors.acme.models.big.in"],
    ["a price in words", file({ models: { big: { in: "1", out: 1 } } }), "vendors.acme.models.big.in"],
    ["a price that lacks a side", file({ models: { big: { in: 1 } } }), "vendors.acme.models.big.out"],
    [
      "an unknown key",
      file({ models: { big: { in: 1, out: 1, output: 2 } } }),
      "vendors.acme.models.big.output",
    ],
    ["a date that is none", file({ taken: "last week" }), "vendors.acme.taken"],
    [
      "an address in the place of a host",
      file({ hosts: ["https://api.acme.example"] }),
      "vendors.acme.hosts[0]",
    ],
    [
      "a host that two vendors claim",
      file({}, { other: { source: "s", taken: "2026-01", hosts: ["api.acme.example"], models: {} } }),
      "vendors.other.hosts[0] belongs to acme already",
    ],
  ])("%s", (_, text, problem) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toStartWith(problem);
  });
});
