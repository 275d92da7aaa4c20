import { fields } from "../attack/hostile-specs.ts";
import { type Ask, expectOk, fill, KIB, MIB, type RouteRow, record, times, type World } from "./route-row.ts";
import { agentOf, hostileYaml, largest, tools, wideSpecs, yamlOf } from "./wide-specs.ts";

/** A tenant of a new person, and requests with its key and with the person's token. */
async function newTenant(world: World, name: string): Promise<{ id: string; tenant: Ask; person: Ask }> {
  const open = world.askOf("platform");
  const registered = await expectOk(
    open("POST", "/auth/register", {
      body: { email: `${name}@example.com`, password: "correct horse", displayName: name },
    }),
  );
  const bearer = { authorization: `Bearer ${JSON.parse(registered.text).accessToken}` };
  const person = world.askOf("platform", "/api/v1", bearer);
  const { id } = JSON.parse(
    (await expectOk(person("POST", "/tenants", { body: { displayName: name } }))).text,
  );
  const { rawKey } = JSON.parse(
    (await expectOk(person("POST", `/tenants/${id}/keys`, { body: { label: "k" } }))).text,
  );
  return { id, person, tenant: world.askOf("platform", "/api/v1", { "x-api-key": rawKey }) };
}

/** Requests to the platform with one key of the free plan. A tenant may make 120 changes a minute, so groups of rows have their own. */
export async function platformRoutes(world: World): Promise<RouteRow[]> {
  const { tenant } = await newTenant(world, "ada");
  const { tenant: writer } = await newTenant(world, "wide");
  const { tenant: yaml } = await newTenant(world, "yaml");
  const open = world.askOf("platform");
  const removed = async (ask: Ask, name: string) => void (await ask("DELETE", `/agents/${name}`));
  return [
    ...wideSpecs.map(
      ({ name, spec }): RouteRow => ({
        name: `platform: create, ${name}`,
        prepare: () => removed(writer, "wide"),
        ask: () => writer("POST", "/agents", { body: agentOf("wide", spec) }),
      }),
    ),
    ...hostileYaml().map(
      ([name, text]): RouteRow => ({
        name: `platform: create from YAML, ${name}`,
        prepare: () => removed(yaml, "yaml"),
        ask: () => yaml("POST", "/agents", { body: text, headers: { "content-type": "application/yaml" } }),
      }),
    ),
    {
      name: "platform: create, the largest",
      prepare: () => removed(yaml, "large"),
      ask: (round) => yaml("POST", "/agents", { body: agentOf("large", largest(round)) }),
    },
    {
      name: "platform: create, the largest in YAML",
      prepare: () => removed(yaml, "large"),
      ask: (round) =>
        yaml("POST", "/agents", {
          body: yamlOf(agentOf("large", largest(round, 60, 10))),
          headers: { "content-type": "application/yaml" },
        }),
    },
    {
      name: "platform: replace, the largest",
      before: async () => {
        for (let n = 0; n < 24; n++)
          await expectOk(tenant("POST", "/agents", { body: agentOf(`large-${n}`, largest(n)) }));
        for (let n = 0; n < 20; n++)
          await expectOk(tenant("PUT", "/agents/large-0", { body: agentOf("large-0", largest(n)) }));
      },
      ask: (round) => tenant("PUT", "/agents/large-0", { body: agentOf("large-0", largest(100 + round)) }),
    },
    { name: "platform: list 24 of the largest agents", ask: () => tenant("GET", "/agents") },
    { name: "platform: read the largest", ask: () => tenant("GET", "/agents/large-0") },
    { name: "platform: versions of the largest", ask: () => tenant("GET", "/agents/large-0/versions") },
    { name: "platform: a version of the largest", ask: () => tenant("GET", "/agents/large-0/versions/3") },
    {
      name: "platform: compare versions of the largest",
      ask: () => tenant("GET", "/agents/large-0/versions/3/diff/4"),
    },
    {
      name: "platform: restore a version of the largest",
      ask: () => tenant("POST", "/agents/large-0/versions/3/restore"),
    },
    {
      name: "platform: compare versions without a common value",
      before: async () => {
        await expectOk(
          tenant("PUT", "/agents/large-1", {
            body: agentOf("large-1", {
              output_schema: { type: "object", properties: { a: { enum: times(9000, (n) => n) } } },
            }),
          }),
        );
        await expectOk(
          tenant("PUT", "/agents/large-1", {
            body: agentOf("large-1", {
              output_schema: { type: "object", properties: { a: { enum: times(9000, (n) => -n) } } },
            }),
          }),
        );
      },
      ask: () => tenant("GET", "/agents/large-1/versions/2/diff/3"),
    },
    { name: "platform: status of the largest", ask: () => tenant("GET", "/agents/large-0/status") },
    {
      name: "platform: run of the largest, new",
      before: () => tenant("POST", "/agents/large-2/run", { body: { query: "hi" } }),
      ask: (round) => tenant("POST", `/agents/large-${3 + round}/run`, { body: { query: "hi" } }),
    },
    {
      name: "platform: run of the largest, again",
      ask: () =>
        tenant("POST", "/agents/large-3/run", {
          body: { query: fill("search orders of Berlin ", 250 * KIB) },
        }),
    },
    {
      name: "platform: run with bodies of 1 MiB",
      ask: () =>
        tenant("POST", "/agents/large-3/run", {
          body: `{"query":"hi","context":{"a":[${'{"a":1},'.repeat(130_000)}1]}}`,
        }),
    },
    { name: "platform: logs", ask: () => tenant("GET", "/agents/large-3/logs?limit=1000") },
    { name: "platform: agent's metrics", ask: () => tenant("GET", "/agents/large-3/metrics") },
    { name: "platform: invocations", ask: () => tenant("GET", "/invocations?limit=1000") },
    { name: "platform: usage", ask: () => tenant("GET", "/usage") },
    { name: "platform: usage by days", ask: () => tenant("GET", "/usage/days?days=366") },
    { name: "platform: catalog", ask: () => tenant("GET", "/catalog") },
    { name: "platform: approvals", ask: () => tenant("GET", "/approvals") },
    { name: "platform: subscriptions", ask: () => tenant("GET", "/subscriptions") },
    {
      name: "platform: connection of 16 KiB",
      ask: (round) =>
        tenant("PUT", `/connections/c${round}`, {
          body: {
            type: "http",
            base_url: "https://example.com",
            material: record(900, (n) => [`k${n}`, "0123456789"]),
          },
        }),
    },
    { name: "platform: connections", ask: () => tenant("GET", "/connections") },
    {
      name: "platform: a document of 8 MiB",
      before: () => expectOk(tenant("PUT", "/collections/notes", { body: {} })),
      ask: (round) =>
        tenant("PUT", `/collections/notes/documents/d${round}`, {
          body: fill("A word and another. ", 8 * MIB - 100),
          headers: { "content-type": "text/plain" },
        }),
    },
    {
      name: "platform: a document of Markdown",
      ask: (round) =>
        tenant("PUT", `/collections/notes/documents/m${round}`, {
          body: fill("# A\n\n- b\n", MIB),
          headers: { "content-type": "text/markdown" },
        }),
    },
    {
      name: "platform: a document of HTML",
      ask: (round) =>
        tenant("PUT", `/collections/notes/documents/h${round}`, {
          body: fill("<p><b>a</p>", 4 * MIB),
          headers: { "content-type": "text/html" },
        }),
    },
    {
      name: "platform: a document of CSV",
      ask: (round) =>
        tenant("PUT", `/collections/notes/documents/c${round}`, {
          body: fill("a,b,c\n", 4 * MIB),
          headers: { "content-type": "text/csv" },
        }),
    },
    {
      name: "platform: a document of JSON",
      ask: (round) =>
        tenant("PUT", `/collections/notes/documents/j${round}`, {
          body: `[${fill('{"a":1},', 4 * MIB)}1]`,
          headers: { "content-type": "application/json" },
        }),
    },
    {
      name: "platform: chunks of a large document",
      ask: () => tenant("GET", "/collections/notes/documents/d0/chunks"),
    },
    {
      name: "platform: query of documents",
      ask: () =>
        tenant("POST", "/collections/notes/query", {
          body: { query: fill("a word ", 200 * KIB), top_k: 100 },
        }),
    },
    {
      name: "platform: usage event, wrong body of 1 MiB",
      ask: () => tenant("POST", "/usage/events", { body: record(9000, (n) => [`k${n}`, fill("x", 90)]) }),
    },
    {
      name: "platform: register, wrong body of 1 MiB",
      ask: () =>
        open("POST", "/auth/register", {
          body: { email: fill("a", 900 * KIB), password: times(50_000, () => ({})), displayName: 1 },
        }),
    },
    {
      name: "platform: a refused spec of 9,000 wrong values",
      ask: () =>
        tenant("POST", "/agents", {
          body: agentOf(
            "wrong",
            record(9000, (n) => [`k${n}`, n]),
          ),
        }),
    },
    {
      name: "platform: a refused spec of a wrong list",
      ask: () => tenant("POST", "/agents", { body: agentOf("wrong", { tools: times(9000, () => 1) }) }),
    },
    {
      name: "platform: a refused spec, 128 wrong tools",
      ask: () =>
        tenant("POST", "/agents", {
          body: agentOf("wrong", {
            tools: tools(128, 20).map((tool) => ({ ...tool, type: "none", unknown: 1 })),
          }),
        }),
    },
    {
      name: "platform: a refused spec, 9,000 wrong fields of a schema",
      ask: () =>
        tenant("POST", "/agents", {
          body: agentOf("wrong", { output_schema: fields(2900, { type: "strin", minLength: -1 }) }),
        }),
    },
    { name: "platform: OpenAPI", ask: () => open("GET", "/openapi.json") },
    { name: "platform: metrics", ask: () => open("GET", "/metrics") },
  ];
}
