import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ModelSources } from "../../../../src/engine/models/model-sources.ts";
import { detectServers } from "../../../../src/services/daemon/providers/detect-servers.ts";
import { startDaemon } from "../../../support/daemon.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { type ModelServer, startModelServer } from "../../../support/model-server.ts";

const lmStudio = "http://127.0.0.1:1234/v1";
const { origin } = new URL(lmStudio);
const all = ["http://127.0.0.1:11434", lmStudio, "http://127.0.0.1:8080/v1", "http://127.0.0.1:8000/v1"];

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(() => ({ text: "hi" }), ["zephyr", "gemma"]);
});
afterAll(() => server.stop());

/** Looks with a network in which only LM Studio's address has a server, which is a real one elsewhere. */
async function look(sources: Partial<ModelSources> = {}, answer = (url: string) => fetch(url)) {
  const asked: string[] = [];
  const clock = new FakeClock();
  const looking = detectServers(
    {
      clock,
      modelCatalog: { sources: { variable: () => undefined, ...sources } },
      providerPorts: {
        clock,
        newId: () => "id",
        fetch: async (url, { signal }) => {
          asked.push(url);
          if (!url.startsWith(origin)) throw new TypeError("Unable to connect.");
          return Promise.race([
            answer(url.replace(origin, new URL(server.url).origin)),
            new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
          ]);
        },
      },
    },
    new AbortController().signal,
  );
  return { looking, asked, clock };
}

const servers = async (sources?: Partial<ModelSources>) => (await (await look(sources)).looking).servers;

test("a server that answers is found with its models and a name to set it up under", async () => {
  const { looking, asked } = await look();
  expect(await looking).toEqual({
    servers: [
      {
        program: "LM Studio",
        name: "lmstudio",
        type: "llamacpp",
        endpoint: lmStudio,
        models: ["gemma", "zephyr"],
        set_up: false,
      },
    ],
    looked_at: all,
  });
  expect(asked.map((url) => new URL(url).hostname)).toEqual(new Array(asked.length).fill("127.0.0.1"));
});

test.each(["http://localhost:1234/v1", "http://127.0.0.1:1234", "127.0.0.1:1234/v1/"])(
  "a provider at %s is that server, under its name",
  async (endpoint) => {
    const [found] = await servers({ file: { providers: { mine: { type: "vllm", endpoint, prices: {} } } } });
    expect(found).toMatchObject({ name: "mine", set_up: true });
  },
);

test("a name that another provider has is not offered, because setting it up would replace that one", async () => {
  const elsewhere = { type: "vllm", endpoint: "http://10.0.0.7:1234/v1", prices: {} };
  const providers = { lmstudio: elsewhere, "lmstudio-2": elsewhere };
  expect((await servers({ file: { providers } }))[0]).toMatchObject({ name: "lmstudio-3", set_up: false });
});

test("a server that is silent for 2 s is left out", async () => {
  const { looking, clock } = await look({}, () => new Promise(() => {}));
  await clock.advance(2_000);
  expect((await looking).servers).toEqual([]);
});

test.each([
  ["another program", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
  ["an error", () => new Response("no", { status: 500 })],
  ["a redirect", () => Response.redirect("http://127.0.0.1:9/")],
])("%s at such an address is not a model server", async (_, answer) => {
  const { looking } = await look({}, async () => answer());
  expect((await looking).servers).toEqual([]);
});

test("a daemon at such an address is not listed as a model server, because its models are its own agents", async () => {
  await using daemon = await startDaemon({});
  const there = (url: string) => fetch(url.replace(new URL(server.url).origin, daemon.url));
  const { looking, asked } = await look({}, there);
  expect((await looking).servers).toEqual([]);
  expect(asked).toContain(`${origin}/healthz`);
});

test("only the owner may look: another caller is 403", async () => {
  await using daemon = await startDaemon({});
  const path = "/v1/system/providers/detect";
  expect((await daemon.call("POST", path)).status).toBe(403);
  const { status, body } = await daemon.asOwner("POST", path);
  expect([status, body.looked_at]).toEqual([200, all]);
});
