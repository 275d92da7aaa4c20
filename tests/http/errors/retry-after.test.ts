import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errorHeaders } from "../../../src/http/errors/error-answer.ts";
import { AppError, type ErrorKind, statusOfKind } from "../../../src/kit/app-error.ts";

test.each(Object.keys(statusOfKind) as ErrorKind[])("retry-after of %s: 429 always has it", (kind) => {
  const headers = errorHeaders(new AppError(kind, "some_code", "Text."));
  expect(headers["retry-after"]).toBe((kind === "rate_limited" ? "1" : undefined) as string);
  const asked = new AppError(kind, "some_code", "Text.", { details: { retryAfterSeconds: 6.2 } });
  expect(errorHeaders(asked)["retry-after"]).toBe("7");
});

test("503 too_busy always has it", () => {
  expect(errorHeaders(new AppError("unavailable", "too_busy", "Text."))["retry-after"]).toBe("1");
});

/** The refusals that the source makes itself; those passed on from another service keep its time or get a second. */
function ownRefusals(): { place: string; call: string }[] {
  const source = join(import.meta.dir, "../../../src");
  return [
    ...new Bun.Glob("{services,compose,http,storage,kit,engine,evals}/**/*.ts").scanSync(source),
  ].flatMap((place) => {
    const text = readFileSync(join(source, place), "utf8");
    return [...text.matchAll(/new AppError\(\s*"(?:rate_limited"|[a-z_]+",\s*"too_busy")/g)].map(
      ({ index }) => ({
        place,
        call: callAt(text, index),
      }),
    );
  });
}

/** The text of a call, up to its closing bracket. */
function callAt(text: string, start: number): string {
  let depth = 0;
  for (let at = text.indexOf("(", start); at < text.length; at++) {
    if (text[at] === "(") depth++;
    else if (text[at] === ")" && --depth === 0) return text.slice(start, at + 1);
  }
  return text.slice(start);
}

test("each own refusal because of too many calls or too much work names the time to wait", () => {
  const refusals = ownRefusals();
  expect(refusals.length).toBeGreaterThan(20);
  expect(refusals.filter(({ call }) => !call.includes("retryAfterSeconds"))).toEqual([]);
});
