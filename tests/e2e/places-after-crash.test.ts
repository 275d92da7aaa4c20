import { expect } from "bun:test";
import { answerOf, type CallOptions } from "../support/daemon.ts";
import { executableTest, type ServerProcess, startServer } from "../support/executable.ts";
import { startModelServer } from "../support/model-server.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

const services = ["daemon", "platform"];
const operatorToken = "operator-token-of-at-least-32-bytes";
const asOperator = { "x-operator-token": operatorToken };

/** `max_concurrency` of the free plan. */
const places = 10;

const ask = async (
  server: ServerProcess,
  method: string,
  path: string,
  { body, headers = {} }: CallOptions = {},
) =>
  answerOf(
    await fetch(`${server.urlOf("platform")}${path}`, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );

executableTest(
  "kill -9 with all places taken: after the start they are free, and the runs ended uncharged",
  async () => {
    using folder = temporaryFolder();
    const allAsked = Promise.withResolvers<void>();
    const never = new Promise<void>(() => {});
    await using model = await hangingModel(places, allAsked.resolve, never);
    writeFiles(folder.path, {
      "providers.yaml": JSON.stringify({ providers: { lab: { type: "vllm", endpoint: model.url } } }),
    });
    const env = { PLATFORM_OPERATOR_TOKEN: operatorToken };
    const run = (server: ServerProcess, headers: Record<string, string>, query: string) =>
      ask(server, "POST", "/api/v1/agents/helper/run", { headers, body: { query } });

    const headers = await (async () => {
      await using server = await startServer(folder.path, { services, env });
      const asTenant = await newTenant(server);
      const runs = Array.from({ length: places }, (_, number) => run(server, asTenant, `Question ${number}`));
      const settled = Promise.allSettled(runs);
      await allAsked.promise;
      const full = await run(server, asTenant, "One more");
      expect([full.status, full.body.error]).toEqual([429, "concurrency_exceeded"]);
      const { credits } = (await ask(server, "GET", "/api/v1/usage", { headers: asTenant })).body;
      expect(credits.held_micros).toBeGreaterThan(0);
      server.kill("SIGKILL");
      expect(await server.exited).toBe(137);
      await settled;
      return asTenant;
    })();

    await using server = await startServer(folder.path, { services, env });
    // The first request after the start must not wait for anything.
    const next = await run(server, headers, "And now?");
    expect(next).toMatchObject({ status: 200, body: { status: "ok", answer: "Tea." } });
    const { credits } = (await ask(server, "GET", "/api/v1/usage", { headers })).body;
    expect(credits).toMatchObject({ held_micros: 0, charged_micros: next.body.credits_charged_micros });
    const listed = await ask(server, "GET", "/api/v1/invocations?limit=100", { headers });
    const lost = (listed.body.invocations as Record<string, unknown>[]).filter(
      ({ status }) => status === "interrupted",
    );
    expect(lost).toHaveLength(places);
    expect(new Set(lost.map((one) => one.credits_charged_micros))).toEqual(new Set([0]));
    // All places are free again, not only one.
    const again = await Promise.all(
      Array.from({ length: places }, (_, number) => run(server, headers, `Again ${number}`)),
    );
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]));
  },
);

/** A model whose first `hanging` answers never arrive. */
async function hangingModel(hanging: number, allAsked: () => void, never: Promise<void>) {
  const server = await startModelServer((_, number) => {
    if (number === hanging - 1) allAsked();
    return number < hanging ? { after: never } : { text: "Tea." };
  });
  return { url: server.url, [Symbol.asyncDispose]: () => server.stop() };
}

/** Creates a tenant with an agent at a cheap tariff; returns the headers with its key. */
async function newTenant(server: ServerProcess): Promise<Record<string, string>> {
  const tariff = {
    provider: "lab",
    model: "m",
    credits_per_1k_in_micros: 1_000,
    credits_per_1k_out_micros: 1_000,
  };
  const priced = await ask(server, "POST", "/api/v1/admin/tariffs", { body: tariff, headers: asOperator });
  expect(priced.status).toBe(201);
  const person = { email: "ada@example.com", password: "correct horse", displayName: "Ada" };
  const { body: signedIn } = await ask(server, "POST", "/auth/register", { body: person });
  const asPerson = { authorization: `Bearer ${signedIn.accessToken}` };
  const made = { body: { displayName: "Ada Ltd" }, headers: asPerson };
  const { body: tenant } = await ask(server, "POST", "/api/v1/tenants", made);
  const keys = `/api/v1/tenants/${tenant.id}/keys`;
  const { body: key } = await ask(server, "POST", keys, { body: { label: "shop" }, headers: asPerson });
  const headers = { "x-api-key": key.rawKey };
  const body = {
    apiVersion: "platform/v1",
    kind: "Agent",
    metadata: { name: "helper" },
    spec: {
      model: { primary: { provider: "lab", model: "m" } },
      prompts: { system: "You help." },
    },
  };
  expect((await ask(server, "POST", "/api/v1/agents", { body, headers })).status).toBe(201);
  return headers;
}
