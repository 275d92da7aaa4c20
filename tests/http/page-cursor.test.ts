import { expect, test } from "bun:test";
import { decodeCursor, encodeCursor } from "../../src/http/page-cursor.ts";

const of = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

test("a cursor decodes to the position that it was made from", () => {
  const place = ["2026-01-01T00:00:00.000Z", 5, null, "ñ"];
  expect(decodeCursor(encodeCursor(place))).toEqual(place);
});

test.each([
  ["a text that is not base64url", "!!"],
  ["a value that is not a list", of({ id: "a" })],
  ["JSON that is cut off", Buffer.from('["a"').toString("base64url")],
  ["a cursor with padding", `${encodeCursor(["a"])}==`],
  ["a cursor with more after it", `${encodeCursor(["ab"])}.x`],
  ["the same list with other spaces", Buffer.from('[ "a" ]').toString("base64url")],
  ["a list in standard base64", Buffer.from('["??>"]').toString("base64")],
])("%s is 400", (_, cursor) => {
  expect(() => decodeCursor(cursor)).toThrow(
    expect.objectContaining({ status: 400, code: "invalid_request" }),
  );
});
