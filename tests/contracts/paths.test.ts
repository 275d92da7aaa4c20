import { expect, test } from "bun:test";
import { cloudClient } from "../../src/contracts/cloud/client.ts";
import { daemonClient } from "../../src/contracts/daemon/client.ts";
import { gatewayAdminClient, gatewayClient } from "../../src/contracts/gateway/client.ts";
import { segment } from "../../src/contracts/paths.ts";
import { platformClient } from "../../src/contracts/platform/clients/client.ts";
import { controlClient } from "../../src/contracts/platform/clients/control-client.ts";
import { runtimeClient } from "../../src/contracts/runtime/http-client.ts";
import { serviceUrl } from "../../src/contracts/service-call.ts";
import { translatorClient } from "../../src/contracts/translator/client.ts";

test("a segment is escaped; a path with one that an address can't hold is refused", () => {
  const urlOf = (name: string) => serviceUrl("http://argosy.example/base/", `/x/${segment(name)}?q=..`).href;
  expect(urlOf("a/b c..%")).toBe("http://argosy.example/base/x/a%2Fb%20c..%25?q=..");
  expect(urlOf("...")).toBe("http://argosy.example/base/x/...?q=..");
  expect(urlOf("\ud800")).toBe("http://argosy.example/base/x/%EF%BF%BD?q=..");
  expect(serviceUrl("http://argosy.example/base/", "/").href).toBe("http://argosy.example/base/");
  for (const name of ["", ".", ".."]) expect(() => urlOf(name)).toThrow("can't be a name or an id");
});

type Fetch = (request: Request) => Promise<Response>;
type Methods = Record<string, (...args: unknown[]) => unknown>;

const baseUrl = "http://argosy.example";
const clients: [string, (fetch: Fetch) => object][] = [
  ["daemon", (fetch) => daemonClient({ fetch, baseUrl })],
  ["runtime", (fetch) => runtimeClient({ fetch, baseUrl })],
  ["documents of the runtime", (fetch) => runtimeClient({ fetch, baseUrl }).documents],
  ["platform", (fetch) => platformClient({ fetch, baseUrl, apiKey: "apk_x" })],
  ["platform's control", (fetch) => controlClient({ fetch, baseUrl })],
  ["gateway", (fetch) => gatewayClient({ fetch, baseUrl }, "key")],
  ["gateway's admin", (fetch) => gatewayAdminClient({ fetch, baseUrl }, "token")],
  ["cloud", (fetch) => cloudClient({ fetch, baseUrl, headers: {} })],
  ["translator", (fetch) => translatorClient({ fetch, baseUrl, headers: {} })],
];

test.each(clients)(
  "the %s client never asks for the folder above what its caller names",
  async (_, create) => {
    const asked: string[] = [];
    const client = create(async ({ method, url }) => {
      asked.push(`${method} ${new URL(url).pathname}`);
      return Response.json({});
    }) as Methods;
    const askedBy = async (method: string, text: string): Promise<string[]> => {
      asked.length = 0;
      try {
        const answer = await client[method]?.(text, text, text, text);
        await (answer as AsyncIterable<unknown> | undefined)?.[Symbol.asyncIterator]?.().next();
      } catch {
        // What it asked counts.
      }
      return [...asked];
    };
    let refused = 0;
    for (const method of Object.keys(client).filter((name) => typeof client[name] === "function")) {
      const paths = await askedBy(method, "abc");
      // An id that is only in the body or the query leads nowhere else.
      const isNamed = paths.some((path) => path.includes("abc"));
      expect([method, await askedBy(method, "..")]).toEqual([method, isNamed ? [] : paths]);
      if (isNamed) refused++;
    }
    expect(refused).toBeGreaterThan(0);
  },
);
