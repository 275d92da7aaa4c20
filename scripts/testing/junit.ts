export interface TestCase {
  /** Path from the repository's root. */
  file: string;
  name: string;
  outcome: "passed" | "failed" | "skipped";
  /** Wall time of the test itself, without the hooks of its file. */
  seconds: number;
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
      };
    },
  );
}

function attribute(head: string, name: string): string {
  const value = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(head)?.[1] ?? "";
  return value.replace(/&(?:#(\d+)|(\w+));/g, (entity, code?: string, word?: string) =>
    code === undefined ? (entities[word ?? ""] ?? entity) : String.fromCodePoint(Number(code)),
  );
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
