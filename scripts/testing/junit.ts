export interface TestCase {
  /** Path from the repository's root. */
  file: string;
  name: string;
  outcome: "passed" | "failed" | "skipped";
  /** Wall time of the test itself, without the hooks of its file. */
  seconds: number;
  /** Error of a failed test and the line that threw it, in one line of at most 1,100 characters. */
  reason?: string;
}

/** Parses the test cases of a JUnit report of `bun test`; a test marked todo counts as skipped. */
export function parseJunit(xml: string): TestCase[] {
  return [...xml.matchAll(/<testcase\b([^>]*?)(?:\/>|>(.*?)<\/testcase>)/gs)].map(
    ([, head = "", body = ""]) => {
      const groups = attribute(head, "classname");
      const name = attribute(head, "name");
      return {
        file: attribute(head, "file"),
        name: groups === "" ? name : `${groups} > ${name}`,
        outcome: /<(failure|error)\b/.test(body)
          ? "failed"
          : body.includes("<skipped")
            ? "skipped"
            : "passed",
        seconds: Number(attribute(head, "time")),
        ...reasonIn(body),
      };
    },
  );
}

function reasonIn(body: string): { reason?: string } {
  const [, head = "", stack = ""] = /<(?:failure|error)\b([^>]*?)(?:\/>|>(.*?)<\/)/s.exec(body) ?? [];
  const places = [...decoded(stack).matchAll(/\bat [^\n]*?([^\s():]+:\d+)(?::\d+)?\)?$/gm)].map(
    ([, at]) => at,
  );
  // The last line is the test's own, unless a helper called the test.
  const place = places.findLast((at) => /\.test\.tsx?:/.test(at ?? "")) ?? places.at(-1);
  const message = attribute(head, "message").replace(/\s+/g, " ").trim().slice(0, messageMax);
  const reason = [message, ...(place === undefined ? [] : [`(${place})`])].join(" ").trim();
  return reason === "" ? {} : { reason };
}

const messageMax = 1000;

function attribute(head: string, name: string): string {
  const value = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(head)?.[1] ?? "";
  return decoded(value);
}

function decoded(text: string): string {
  return text.replace(/&(?:#(\d+)|(\w+));/g, (entity, code?: string, word?: string) =>
    code === undefined ? (entities[word ?? ""] ?? entity) : String.fromCodePoint(Number(code)),
  );
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
