import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { encyclopedia } from "../../../../src/engine/tools/builtin/encyclopedia.ts";
import { executeBuiltin } from "../../../support/executed-tool.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { type StagedAnswer, stagedNetwork } from "../../../support/staged-network.ts";

const fixture = (name: string) =>
  readFileSync(join(import.meta.dir, `../web/fixtures/encyclopedia/${name}.json`), "utf8");
const article = (name: string): StagedAnswer => ({ body: fixture(name) });
const missing: StagedAnswer = { status: 404, body: fixture("not-found") };
const summaryPath = "/api/rest_v1/page/summary/";
const searchPath = "/w/rest.php/v1/search/page?";

/** Looks up a term in a wiki with these answers, by the ends of its paths. */
async function lookUp(
  answers: Record<string, StagedAnswer>,
  input: Record<string, unknown>,
  config: Record<string, unknown> = {},
) {
  const network = stagedNetwork(({ url }) => answers[url.slice(url.indexOf("/", 8))] ?? missing);
  const result = await executeBuiltin(encyclopedia, input, { config, ports: { network } });
  return { result, urls: network.requests.map(({ url }) => url), requests: network.requests };
}

const jupiter = {
  title: "Jupiter",
  summary:
    "Jupiter is the fifth planet from the Sun and the largest in the Solar System.\nIt is a gas giant.",
  url: "https://en.wikipedia.org/wiki/Jupiter",
  language: "en",
};

test("the article of that name", async () => {
  const { result, urls } = await lookUp(
    { [`${summaryPath}Jupiter`]: article("jupiter") },
    { topic: " Jupiter " },
  );
  expect(result).toEqual({ success: true, data: jupiter });
  expect(urls).toEqual(["https://en.wikipedia.org/api/rest_v1/page/summary/Jupiter"]);
});

test("the best article that a search finds, where there is none of that name", async () => {
  const { result, urls } = await lookUp(
    {
      [`${searchPath}q=Jupitter+%26+co&limit=10`]: article("search-jupiter"),
      [`${summaryPath}Jupiter`]: article("jupiter"),
    },
    { topic: "Jupitter & co" },
  );
  expect(result).toEqual({ success: true, data: jupiter });
  expect(urls).toHaveLength(3);
});

test("a name that means several things lists them", async () => {
  const { result } = await lookUp(
    {
      [`${summaryPath}Mercury`]: article("mercury"),
      [`${searchPath}q=Mercury&limit=10`]: article("search-mercury"),
    },
    { topic: "Mercury" },
  );
  expect(result).toEqual({
    success: true,
    data: {
      title: "Mercury",
      summary: "Mercury most commonly refers to:\nMercury (planet)\nMercury (element)",
      url: "https://en.wikipedia.org/wiki/Mercury",
      language: "en",
      options: [
        { title: "Mercury (planet)", description: "First planet from the Sun" },
        { title: "Mercury (element)", description: "Chemical element with atomic number 80" },
      ],
    },
  });
});

test("nothing at all", async () => {
  const { result } = await lookUp(
    { [`${searchPath}q=Qzxv&limit=10`]: article("search-nothing") },
    { topic: "Qzxv" },
  );
  expect(result).toEqual({
    success: false,
    error:
      'The encyclopedia has no article about "Qzxv" in the language en; try other words or another language.',
  });
});

test.each([
  ["en", "https://en.wikipedia.org/"],
  ["DE", "https://de.wikipedia.org/"],
  ["zh-classical", "https://zh-classical.wikipedia.org/"],
  ["be-tarask", "https://be-tarask.wikipedia.org/"],
])("the language %s is asked at %s", async (language, origin) => {
  const { urls } = await lookUp({}, { topic: "x", language });
  expect(urls.every((url) => url.startsWith(origin))).toBeTrue();
});

test.each([
  "",
  "e",
  "e1",
  "en.evil.example",
  "en/..",
  "-en",
  "en-",
  "en_US",
  "evil.example#",
  "a".repeat(13),
])("the language %p is refused", async (language) => {
  const { result, urls } = await lookUp({}, { topic: "x", language });
  expect(result).toEqual({ success: false, error: expect.stringContaining("language") });
  expect(urls).toEqual([]);
});

test.each([
  ["AC/DC", `${summaryPath}AC%2FDC`],
  ["C++ & more?", `${summaryPath}C%2B%2B_%26_more%3F`],
  ["São Paulo", `${summaryPath}S%C3%A3o_Paulo`],
  ["a\n b\u200b", `${summaryPath}a_b`],
  ["C#", `${searchPath}q=C%23&limit=10`],
  ["..", `${searchPath}q=..&limit=10`],
  ["half \ud800", `${summaryPath}half_%EF%BF%BD`],
])("the topic %p is asked for as %p", async (topic, path) => {
  const { urls } = await lookUp({}, { topic });
  expect(urls[0]).toBe(`https://en.wikipedia.org${path}`);
});

test("at the operator's own wiki", async () => {
  const config = { base_url: "http://wiki.corp.example:8080/{language}/", allow_localhost: true };
  const { requests } = await lookUp({}, { topic: "x", language: "fr" }, config);
  expect(requests[0]).toMatchObject({
    url: `http://wiki.corp.example:8080/fr${summaryPath}x`,
    allowsLoopback: true,
  });
});

test.each([
  ["a fault", { status: 500 }, "fault of its own"],
  [
    "too many questions (429)",
    { status: 429, headers: { "retry-after": "5" } },
    "it may be asked again in 5 seconds",
  ],
  ["no JSON", { body: "<html>" }, "something that is not an article"],
  ["other JSON", { body: "{}" }, "something that is not an article"],
])("fails: %s", async (_, answer, error) => {
  const named = await lookUp({ [`${summaryPath}x`]: answer }, { topic: "x" });
  expect(named.result).toEqual({ success: false, error: expect.stringContaining(error) });
  const searched = await lookUp({ [`${searchPath}q=x&limit=10`]: answer }, { topic: "x" });
  expect(searched.result).toEqual({ success: false, error: expect.stringContaining(error) });
});

test("the tool's own time bounds all its questions together", async () => {
  const clock = new FakeClock();
  const network = stagedNetwork(async () => {
    await clock.advance(16_000);
    return missing;
  });
  const result = await executeBuiltin(
    encyclopedia,
    { topic: "x" },
    { ports: { network, clock }, context: { clock } },
  );
  expect(result).toEqual({
    success: false,
    error: "encyclopedia took longer than 30 seconds and was stopped.",
  });
  expect(network.requests).toHaveLength(2);
  expect(network.requests.every(({ signal }) => signal.aborted)).toBeTrue();
});
