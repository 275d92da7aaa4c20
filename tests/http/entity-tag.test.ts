import { describe, expect, test } from "bun:test";
import { entityTag, matchIn } from "../../src/http/entity-tag.ts";
import { AppError } from "../../src/kit/app-error.ts";

const present = entityTag(["a", 1]);

function outcome(header: string | undefined, tag: string | undefined): string {
  try {
    matchIn(new Headers(header === undefined ? {} : { "if-match": header }))(tag);
    return "accepted";
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    return `${thrown.status} ${thrown.code}`;
  }
}

describe("If-Match", () => {
  const refused = "412 version_changed";
  test.each([
    { header: undefined, tag: present, becomes: "accepted" },
    { header: undefined, tag: undefined, becomes: "accepted" },
    { header: present, tag: present, becomes: "accepted" },
    { header: `W/${present}`, tag: present, becomes: "accepted" },
    { header: `"other" , ${present}`, tag: present, becomes: "accepted" },
    { header: "*", tag: present, becomes: "accepted" },
    { header: "*", tag: undefined, becomes: refused },
    { header: present, tag: undefined, becomes: refused },
    { header: present, tag: entityTag(["a", 2]), becomes: refused },
    { header: present.slice(1, -1), tag: present, becomes: refused },
    { header: "", tag: present, becomes: refused },
    { header: '"<img src=x onerror=alert(1)>"', tag: present, becomes: refused },
    { header: ",".repeat(40), tag: present, becomes: refused },
  ])("$header against $tag is $becomes", ({ header, tag, becomes }) => {
    expect(outcome(header, tag)).toBe(becomes);
  });

  test("tags are quoted, equal for equal content and different for other content", () => {
    expect(present).toMatch(/^"[0-9a-f]{32}"$/);
    expect(entityTag({ a: 1, b: 2 })).toBe(entityTag({ b: 2, a: 1 }));
    expect(entityTag(["a", 1])).not.toBe(entityTag(["a1"]));
  });
});
