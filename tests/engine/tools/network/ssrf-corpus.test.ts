import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { readAddress } from "../../../../src/engine/tools/network/address/address-kind.ts";
import type { ToolResult } from "../../../../src/engine/tools/tool.ts";
import { hasEveryAddress, runInEveryAddress } from "../../../support/every-address.ts";
import { type CorpusEntry, entries, publicAddress, ways } from "../../../support/ssrf-corpus.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";
import { hasOpenssl, makeAuthority } from "../../../support/test-authority.ts";

interface Call {
  id: string;
  way: string;
  result: ToolResult;
  reached: string[];
  heard: string[];
  tookMs: number;
}
interface Played {
  calls: Call[];
  flips: { succeeded: number; lookups: number; requests: number; places: string[] };
  named: string[];
  unguarded: string[];
}

let played: Played;
const names = ["public.test", "example.com", "127.0.0.1.example.com", "xn--bcher-kva.example"];
const proxy = "http://127.0.0.1:3128";

describe.skipIf(!hasEveryAddress || !hasOpenssl)("with a listener on every address there is", () => {
  beforeAll(async () => {
    using folder = temporaryFolder();
    const authority = makeAuthority(folder.path);
    const { keyFile, certFile } = authority.issue("world", names);
    const script = join(import.meta.dir, "every-address-child.ts");
    played = (await runInEveryAddress(script, [keyFile, certFile], {
      NODE_EXTRA_CA_CERTS: authority.caFile,
      HTTP_PROXY: proxy,
      HTTPS_PROXY: proxy,
      ALL_PROXY: proxy,
      http_proxy: proxy,
      https_proxy: proxy,
      NODE_TLS_REJECT_UNAUTHORIZED: "0",
    })) as Played;
  });

  test("nothing reaches an address that is not public, nor a port that is closed", () => {
    const wrong = played.calls.filter(({ reached }) => reached.some((place) => !isPublicPlace(place)));
    expect(wrong).toEqual([]);
    expect(played.calls).toHaveLength(entries.length * Object.keys(ways).length);
  });

  for (const entry of entries) {
    test(`${entry.id} ${entry.why}: ${entry.expected}`, () => {
      const calls = played.calls.filter(({ id }) => id === entry.id);
      expect(calls).toHaveLength(Object.keys(ways).length);
      for (const call of calls) expectOutcome(entry, call);
    });
  }

  test("no failure names an address, a host or a path", () => {
    const errors = played.calls.flatMap(({ result }) => (result.success ? [] : [result.error]));
    expect(errors.length).toBeGreaterThan(500);
    for (const error of errors) {
      const said = error.replace("such as https://example.com/path", "");
      expect(said).not.toMatch(/\d+\.\d+\.\d+|::|\.test|example|localhost|\/\/\w|stack/);
    }
  });

  test("the listeners see an unguarded client", () => {
    expect(played.unguarded).toEqual(["169.254.169.254", "10.0.0.5", "127.0.0.1", "fd00:ec2::254"]);
  });

  test("a certificate has to be valid for the name, even where the environment switches checks off", () => {
    const wrong = "The server has no valid certificate for this host.";
    expect(played.named).toEqual(["reached", wrong, "reached", wrong]);
  });

  test("a name that flips 10,000 times between public and private reaches the public address alone", () => {
    expect(played.flips).toEqual({
      succeeded: 5000,
      lookups: 10_000,
      requests: 5000,
      places: [publicAddress],
    });
  });
});

function expectOutcome(
  { expected, input, why }: CorpusEntry,
  { way, result, reached, heard, tookMs }: Call,
): void {
  if (expected.startsWith("allow")) {
    expect([way, result]).toMatchObject([way, { success: true }]);
    expect(reached).toHaveLength(1);
  } else if (expected === "strip-or-reject") {
    const { headers } = input as { headers: Record<string, string> };
    const [name = ""] = Object.keys(headers).map((each) => each.toLowerCase());
    // The connection sets these itself, and ignores the caller's value.
    if (!["host", "connection"].includes(name)) expect(heard).not.toContain(name);
    expect(heard.filter((each) => each === "host").length).toBe(reached.length);
  } else if (expected === "abort-at-timeout_seconds") {
    if (!way.startsWith("send_")) expect(result.success).toBe(false);
    expect(tookMs).toBeLessThan(2500);
  } else if (expected.startsWith("abort-at-max_response_bytes")) {
    // A tool that needs only the status reads a little of the body and drops the rest.
    if (!way.startsWith("send_")) expect(result).toMatchObject({ success: false });
    expect(tookMs).toBeLessThan(2500);
  } else if (why.startsWith("rebinding") || (way !== "http_request POST" && isRedirectOfPost(input))) {
    // The name is resolved once, to a public address; a redirect concerns only tools that send a body.
    expect([...new Set(reached)]).toEqual([publicAddress]);
  } else {
    expect([way, result]).toMatchObject([way, { success: false }]);
  }
}

const isRedirectOfPost = (input: unknown) => typeof input === "object" && input !== null && "to" in input;

const isPublicPlace = (place: string) => readAddress(place)?.kind === "public";
