import { describe, expect, test } from "bun:test";
import { checkOutput } from "../../../../src/engine/tools/mcp/check-by-schema.ts";
import { readResult as reading } from "../../../../src/engine/tools/mcp/read-result.ts";
import { finish } from "../../../support/at-once.ts";

const readResult = (...given: Parameters<typeof reading>) => finish(reading(...given));

const png = "iVBORw0KGgoAAAANSUhEUgAAABQ=";
const weather = checkOutput({
  type: "object",
  properties: { degrees: { type: "number" } },
  required: ["degrees"],
});

const texts = (...said: string[]) => ({ content: said.map((text) => ({ type: "text", text })) });

describe("the data of a result", () => {
  test.each<[string, Record<string, unknown>, unknown]>([
    ["a text", texts("fine"), "fine"],
    ["several texts", texts("one", "two"), "one\ntwo"],
    ["nothing", { content: [] }, ""],
    ["structured content alone", { structuredContent: { a: 1 } }, { a: 1 }],
    ["an answer of 2024", { toolResult: { a: 1 } }, { a: 1 }],
    [
      "an image",
      { content: [{ type: "image", mimeType: "image/png", data: png }] },
      "[an image (image/png) of 1 KiB, not shown]",
    ],
    [
      "an image that is none",
      { content: [{ type: "image", mimeType: "text/html", data: png }] },
      "[an image said to be text/html, which is no image: left out]",
    ],
    [
      "an image of another kind",
      { content: [{ type: "image", mimeType: "image/jpeg", data: png }] },
      "[an image said to be image/jpeg, which it is not: left out]",
    ],
    [
      "an image without a type",
      { content: [{ type: "image", data: png }] },
      "[an image of no known type, which is no image: left out]",
    ],
    [
      "an image of broken data",
      { content: [{ type: "image", mimeType: "image/png", data: "<svg>" }] },
      "[an image whose data is no base64: left out]",
    ],
    [
      "an image without data",
      { content: [{ type: "image", mimeType: "image/png" }] },
      "[an image without data]",
    ],
    [
      "sound",
      { content: [{ type: "audio", mimeType: "audio/flac", data: "AAAA" }] },
      "[an audio (audio/flac) of 1 KiB, not shown]",
    ],
    [
      "a link",
      { content: [{ type: "resource_link", name: "notes", uri: "file:///n.txt" }] },
      "[a link to notes file:///n.txt]",
    ],
    [
      "a text file",
      { content: [{ type: "resource", resource: { uri: "a://b", text: "inside" } }] },
      "[a://b]\ninside",
    ],
    [
      "a binary file",
      {
        content: [
          { type: "resource", resource: { uri: "a://b", mimeType: "application/zip", blob: "UEsDBA==" } },
        ],
      },
      "[a://b] [a file (application/zip) of 1 KiB, not shown]",
    ],
    [
      "a file that can't be read",
      { content: [{ type: "resource", resource: "a://b" }] },
      "[a file that can't be read]",
    ],
    ["an unknown part", { content: [{ type: "hologram" }] }, "[a part of an unknown kind]"],
    ["no part", { content: [null, 42] }, "[a part that can't be read]\n[a part that can't be read]"],
  ])("%s", (_, result, data) => {
    expect(readResult(result, undefined)).toEqual({ success: true, data });
  });

  test("a long text keeps its beginning", () => {
    const read = readResult(texts("x".repeat(2_000_000)), undefined);
    expect(read.success && String(read.data).length).toBeLessThan(1_100_000);
  });

  test("a million parts are not joined", () => {
    const read = readResult(
      { content: Array.from({ length: 100_000 }, () => ({ type: "text", text: "" })) },
      undefined,
    );
    expect(read.success && read.data).toContain("99000 further parts left out");
  });
});

describe("where the tool declares a shape", () => {
  test("the structured content is the data", () => {
    expect(readResult({ ...texts("21 degrees"), structuredContent: { degrees: 21 } }, weather)).toEqual({
      success: true,
      data: { degrees: 21 },
    });
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    ["another shape", { structuredContent: { degrees: "warm" } }, /does not have the shape.*degrees/],
    ["no data", { content: [] }, /without the data/],
  ])("%s is a failure", (_, result, error) => {
    expect(readResult(result, weather)).toEqual({ success: false, error: expect.stringMatching(error) });
  });
});

describe("a failure", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["with words", { isError: true, ...texts("No such file.") }, "No such file."],
    ["without", { isError: true, content: [] }, "The tool failed without saying why."],
    ["content of another kind", { content: "fine" }, "The tool answered with something that is no result."],
  ])("%s", (_, result, error) => {
    expect(readResult(result, undefined)).toEqual({ success: false, error });
  });

  test("its words are bounded", () => {
    const read = readResult({ isError: true, ...texts("x".repeat(100_000)) }, undefined);
    expect(read.success === false && read.error.length).toBeLessThan(5000);
  });
});

test("a failure that only the data describes is reported with its data", () => {
  const result = { isError: true, content: [], structuredContent: { code: "E1", why: "gone" } };
  expect(readResult(result, undefined)).toEqual({ success: false, error: '{"code":"E1","why":"gone"}' });
});
