import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { builtRegistries } from "../../../../src/engine/agents/manifest-registries.ts";
import { bindTools } from "../../../../src/engine/tools/bind-tools.ts";
import { webSearch } from "../../../../src/engine/tools/builtin/web-search.ts";
import { createMemoryCache } from "../../../../src/engine/tools/tool-cache.ts";
import { systemClock } from "../../../../src/kit/clock.ts";
import { executeBuiltin, noTemplates } from "../../../support/executed-tool.ts";
import { parseAgent } from "../../../support/parse-agent.ts";
import { type StagedAnswer, stagedNetwork } from "../../../support/staged-network.ts";
import { toolPorts } from "../../../support/tool-ports.ts";

const key = "BSA-canary+key/7f3a";
const fixture = (name: string) =>
  readFileSync(join(import.meta.dir, `../web/fixtures/search/${name}.json`), "utf8");

/** Searches a staged service with a key; `asked` is the request that it got. */
async function search(
  answer: StagedAnswer,
  input: Record<string, unknown> = {},
  config: Record<string, unknown> = {},
) {
  const network = stagedNetwork(() => answer);
  const secret = (name: string) => (name === "SEARCH_API_KEY" ? key : undefined);
  const result = await executeBuiltin(
    webSearch,
    { query: "linear time html parser", ...input },
    { config, ports: { network, secret } },
  );
  return { result, asked: network.requests[0], count: network.requests.length };
}

describe("brave", () => {
  test("is asked as its documentation says, and its answer read", async () => {
    const { result, asked } = await search({ body: fixture("brave") }, { max_results: 3 });
    expect(asked).toMatchObject({
      url: "https://api.search.brave.com/res/v1/web/search?q=linear+time+html+parser&count=3&text_decorations=false",
      method: "GET",
      headers: { accept: "application/json", "x-subscription-token": key },
      redirectsMax: 0,
      allowsLoopback: false,
    });
    expect(result).toEqual({
      success: true,
      data: [
        {
          title: "Parsing & tokenizing HTML",
          url: "https://parsers.example/html",
          snippet: "A linear time reader looks at each character once 'and only once'.",
        },
        { title: "https://docs.example/spec", url: "https://docs.example/spec", snippet: "" },
        { title: "Third", url: "http://third.example/a?b=c#d", snippet: "Third snippet" },
      ],
    });
  });

  test("finds nothing", async () => {
    expect((await search({ body: fixture("brave-nothing") })).result).toEqual({ success: true, data: [] });
  });
});

test("tavily is asked as its documentation says, and its answer read", async () => {
  const { result, asked } = await search({ body: fixture("tavily") }, {}, { provider: "tavily" });
  expect(asked).toMatchObject({
    url: "https://api.tavily.com/search",
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: '{"query":"linear time html parser","max_results":5,"search_depth":"basic"}',
  });
  expect(result).toEqual({
    success: true,
    data: [
      {
        title: "Parsing HTML",
        url: "https://parsers.example/html",
        snippet: "A linear time reader: 1 < 2 &amp; so on. It looks at each character once.",
      },
      { title: "Spec", url: "https://docs.example/spec", snippet: "x".repeat(1000) },
    ],
  });
});

test("searxng is asked without a key at the operator's address", async () => {
  const config = { provider: "searxng", base_url: "http://search.corp.example/x/", allow_localhost: true };
  const { result, asked } = await search({ body: fixture("searxng") }, {}, config);
  expect(asked).toMatchObject({
    url: "http://search.corp.example/x/search?q=linear+time+html+parser&format=json",
    allowsLoopback: true,
  });
  expect(JSON.stringify(asked)).not.toContain(key);
  expect(result).toMatchObject({ success: true, data: [{ title: "Parsing HTML" }] });
});

test("a key of the entry wins over the variable, and an address of the entry over the usual one", async () => {
  const config = { api_key: "own-key", base_url: "https://proxy.example/brave" };
  const { asked } = await search({ body: fixture("brave") }, {}, config);
  expect(asked?.url).toStartWith("https://proxy.example/brave/res/v1/web/search?");
  expect(asked?.headers).toMatchObject({ "x-subscription-token": "own-key" });
});

describe("fails:", () => {
  const brave = "brave";
  test.each([
    [
      "a key that is not valid",
      brave,
      { status: 422, body: fixture("brave-key") },
      /did not accept the API key/,
    ],
    [
      "a query that is not taken",
      brave,
      { status: 422, body: fixture("brave-query") },
      /did not take this query/,
    ],
    [
      "too many searches a second",
      brave,
      {
        status: 429,
        body: fixture("brave-rate"),
        headers: { "x-ratelimit-remaining": "0, 1988", "x-ratelimit-reset": "1, 1419704" },
      },
      /asked too often; it may be asked again in 1 seconds/,
    ],
    [
      "too many searches a month",
      brave,
      { status: 429, headers: { "x-ratelimit-remaining": "0, 0", "x-ratelimit-reset": "1, 1419704" } },
      /it may be asked again in 1419704 seconds/,
    ],
    [
      "a quota that is used up",
      brave,
      { status: 429, body: fixture("brave-quota") },
      /quota of searches is used up/,
    ],
    [
      "a wait in the usual header",
      "tavily",
      { status: 429, headers: { "retry-after": "30" } },
      /again in 30 seconds/,
    ],
    [
      "a wait that nobody tells",
      "tavily",
      { status: 429, headers: { "retry-after": "soon" } },
      /try again later/,
    ],
    ["tavily's key", "tavily", { status: 401, body: fixture("tavily-key") }, /did not accept the API key/],
    [
      "tavily's plan",
      "tavily",
      { status: 432, body: fixture("tavily-plan") },
      /quota of searches is used up/,
    ],
    ["tavily's pay-as-you-go limit", "tavily", { status: 433 }, /quota of searches is used up/],
    [
      "a service with a fault",
      brave,
      { status: 503, body: "<h1>503</h1>" },
      /fault of its own \(status 503\)/,
    ],
    [
      "a redirect",
      brave,
      { status: 302, headers: { location: "https://evil.example" } },
      /status 302 and no results/,
    ],
    ["another service", brave, { status: 404 }, /its base_url may be wrong/],
    ["no JSON", brave, { body: "<html>" }, /something that is not a search result/],
    ["other JSON", "tavily", { body: '{"results": {}}' }, /something that is not a search result/],
    ["a list", brave, { body: "[]" }, /something that is not a search result/],
  ])("%s", async (_, provider, answer, error) => {
    const { result } = await search(answer, {}, { provider });
    expect(result).toEqual({ success: false, error: expect.stringMatching(error) });
    expect(JSON.stringify(result)).not.toMatch(/canary|evil|subscription token|contact support/);
  });

  test("SearXNG that answers no JSON", async () => {
    const config = { provider: "searxng", base_url: "https://s.example" };
    const { result } = await search({ status: 403 }, {}, config);
    expect(result).toMatchObject({ success: false, error: expect.stringContaining("allow in its settings") });
  });

  test("without a key", async () => {
    const network = stagedNetwork(() => ({}));
    expect(await executeBuiltin(webSearch, { query: "x" }, { ports: { network } })).toEqual({
      success: false,
      error: expect.stringContaining("set api_key or SEARCH_API_KEY"),
    });
    expect(network.requests).toEqual([]);
  });

  test.each([
    [{ query: "" }, "query"],
    [{ query: " \u200b\n" }, "The query is empty"],
    [{ query: "x".repeat(401) }, "query"],
    [{ max_results: 21 }, "max_results"],
    [{ safe: true }, "safe is not known"],
  ])("%p", async (input, error) => {
    const { result, count } = await search({}, input);
    expect(result).toEqual({ success: false, error: expect.stringContaining(error) });
    expect(count).toBe(0);
  });
});

test("a service that sends the key back does not hand it to the model", async () => {
  const body = {
    results: [
      {
        title: `key ${key}`,
        url: `https://a.example/?k=${encodeURIComponent(key)}`,
        content: btoa(`xx${key}xx`),
      },
    ],
  };
  const { result } = await search({ body }, {}, { provider: "tavily" });
  expect(JSON.stringify(result)).not.toContain("canary");
  expect(result).toMatchObject({ success: true, data: [{ title: "key [redacted]" }] });
  expect(JSON.stringify(result)).not.toContain(btoa(key).slice(4, -4));
});

test.each([
  [{ provider: "searxng" }, "spec.tools[0].config.base_url", /required for searxng/],
  [{ base_url: "https://user:pw@s.example" }, "spec.tools[0].config.base_url", /can't be called/],
  [{ provider: "altavista" }, "spec.tools[0].config.provider", /./],
  [{ api_key: "two words" }, "spec.tools[0].config.api_key", /./],
  [{ key: "x" }, "spec.tools[0].config.key", /./],
])("an entry with %p is refused", (config, path, message) => {
  const tools = [{ name: "web_search", type: "builtin", config }];
  const manifest = { apiVersion: "platform/v1", kind: "Agent", metadata: { name: "a" }, spec: { tools } };
  const problemsOf = () => {
    const { spec } = parseAgent(manifest, { registries: builtRegistries() });
    const ports = toolPorts({
      templates: noTemplates,
      cache: createMemoryCache(systemClock),
      clock: systemClock,
    });
    return bindTools(spec, ports).problems;
  };
  let problems: unknown;
  try {
    problems = problemsOf();
  } catch (thrown) {
    problems = (thrown as { details: { problems: unknown } }).details.problems;
  }
  expect(problems).toMatchObject([{ path, message: expect.stringMatching(message) }]);
});
