import {
  agentOf,
  cityTools,
  fields,
  fill,
  hostileYaml,
  KIB,
  largest,
  MIB,
  record,
  times,
  wideSpecs,
  yamlOf,
} from "../hostile.ts";
import { type Ask, expectOk, posts, type RouteRow, reads, type World, yamlType } from "./route-row.ts";

/** Requests with the key of a new person's tenant. */
export async function newTenant(world: World, name: string): Promise<Ask> {
  const open = world.askOf("platform");
  const account = { email: `${name}@example.com`, password: "correct horse", displayName: name };
  const registered = await expectOk(open("POST", "/auth/register", { body: account }));
  const bearer = { authorization: `Bearer ${JSON.parse(registered.text).accessToken}` };
  const person = world.askOf("platform", "/api/v1", bearer);
  const made = await expectOk(person("POST", "/tenants", { body: { displayName: name } }));
  const keys = `/tenants/${JSON.parse(made.text).id}/keys`;
  const { rawKey } = JSON.parse((await expectOk(person("POST", keys, { body: { label: "k" } }))).text);
  return world.askOf("platform", "/api/v1", { "x-api-key": rawKey });
}

/** Requests to the platform with keys of the free plan. A tenant may make 120 changes a minute, so groups of rows have their own. */
export async function platformRoutes(world: World): Promise<RouteRow[]> {
  const open = world.askOf("platform");
  return [
    ...(await creations(world)),
    ...(await largestAgents(world)),
    ...(await documents(await newTenant(world, "documents"))),
    posts("platform: register, wrong body of 1 MiB", open, "/auth/register", {
      email: fill("a", 900 * KIB),
      password: times(50_000, () => ({})),
      displayName: 1,
    }),
    ...reads("platform", open, [
      ["OpenAPI", "/openapi.json"],
      ["metrics", "/metrics"],
    ]),
  ];
}

async function creations(world: World): Promise<RouteRow[]> {
  const writer = await newTenant(world, "wide");
  const yaml = await newTenant(world, "yaml");
  const refused: [name: string, spec: object][] = [
    ["9,000 wrong values", record(9000, (n) => [`k${n}`, n])],
    ["a wrong list", { tools: times(9000, () => 1) }],
    ["128 wrong tools", { tools: cityTools(128, 20).map((tool) => ({ ...tool, type: "none", unknown: 1 })) }],
    ["wrong fields of a schema", { output_schema: fields(2900, { type: "strin", minLength: -1 }) }],
  ];
  const removed = (ask: Ask, name: string) => () => ask("DELETE", `/agents/${name}`);
  return [
    ...wideSpecs.map(([name, spec]) =>
      posts(`platform: create, ${name}`, writer, "/agents", agentOf("wide", spec), {
        prepare: removed(writer, "wide"),
      }),
    ),
    ...refused.map(([name, spec]) =>
      posts(`platform: a refused spec of ${name}`, writer, "/agents", agentOf("wrong", spec)),
    ),
    ...hostileYaml().map(([name, text]) =>
      posts(`platform: create from YAML, ${name}`, yaml, "/agents", text, {
        ...yamlType,
        prepare: removed(yaml, "yaml"),
      }),
    ),
    posts(
      "platform: create, the largest",
      yaml,
      "/agents",
      (round: number) => agentOf("large", largest(round)),
      { prepare: removed(yaml, "large") },
    ),
    posts(
      "platform: create, the largest in YAML",
      yaml,
      "/agents",
      (round: number) => yamlOf(agentOf("large", largest(round, 60, 10))),
      { ...yamlType, prepare: removed(yaml, "large") },
    ),
  ];
}

/** 24 agents as large as possible, and one of them in 20 versions. */
async function largestAgents(world: World): Promise<RouteRow[]> {
  const tenant = await newTenant(world, "large");
  const replace = (name: string, spec: object) =>
    tenant("PUT", `/agents/${name}`, { body: agentOf(name, spec) });
  const oneOf = (sign: number) => ({ output_schema: fields(1, { enum: times(9000, (n) => n * sign) }) });
  const attacked = await newTenant(world, "attacked");
  const guarded = (spec: object) => async () => {
    await attacked("DELETE", "/agents/guarded");
    await expectOk(attacked("POST", "/agents", { body: agentOf("guarded", spec) }));
  };
  const atOnce = (name: string, spec: object, query: string) =>
    posts(
      `platform: 10 runs at once, ${name}`,
      attacked,
      "/agents/guarded/run",
      { query },
      {
        times: 10,
        before: guarded(spec),
      },
    );
  return [
    {
      name: "platform: replace, the largest",
      before: async () => {
        for (let n = 0; n < 24; n++)
          await expectOk(tenant("POST", "/agents", { body: agentOf(`large-${n}`, largest(n)) }));
        for (let n = 0; n < 20; n++) await expectOk(replace("large-0", largest(n)));
        for (const sign of [1, -1]) await expectOk(replace("large-1", oneOf(sign)));
      },
      ask: (round) => replace("large-0", largest(100 + round)),
    },
    ...reads("platform", tenant, [
      ["list 24 of the largest agents", "/agents"],
      ["read the largest", "/agents/large-0"],
      ["versions of the largest", "/agents/large-0/versions"],
      ["a version of the largest", "/agents/large-0/versions/3"],
      ["compare versions of the largest", "/agents/large-0/versions/3/diff/4"],
      ["compare versions without a common value", "/agents/large-1/versions/2/diff/3"],
      ["status of the largest", "/agents/large-0/status"],
    ]),
    posts(
      "platform: restore a version of the largest",
      tenant,
      "/agents/large-0/versions/3/restore",
      undefined,
    ),
    // As large as the free plan's tokens for a run allow.
    posts(
      "platform: run of a large agent",
      attacked,
      "/agents/guarded/run",
      { query: fill("search orders ", 20 * KIB) },
      {
        before: guarded({ prompts: { system: fill("words ", 60 * KIB) }, tools: cityTools(24, 8) }),
      },
    ),
    ...["1,", '{"a":1},', '"\\n",', "[],"].map((unit) =>
      posts(
        `platform: 5 runs at once, bodies of 1 MiB of ${unit}`,
        tenant,
        "/agents/large-3/run",
        `{"query":"hi","context":{"a":[${unit.repeat((MIB - 100) / unit.length)}1]}}`,
        { times: 5 },
      ),
    ),
    atOnce(
      "long input through 32 guardrails",
      Object.fromEntries(wideSpecs)["32 prompt_injection and pii_detection"] ?? {},
      fill("i g n o r e <img ", 20 * KIB),
    ),
    atOnce(
      "a template that loops",
      { prompts: { system: "{% for a in range(9999) %}{{ range(9999)|list|sum }}{% endfor %}" } },
      "hi",
    ),
    ...reads("platform", tenant, [
      ["logs", "/agents/large-3/logs?limit=1000"],
      ["agent's metrics", "/agents/large-3/metrics"],
      ["invocations", "/invocations?limit=1000"],
      ["usage", "/usage"],
      ["usage by days", "/usage/days"],
      ["catalog", "/catalog"],
      ["approvals", "/approvals"],
      ["subscriptions", "/subscriptions?argo=erp"],
    ]),
    posts(
      "platform: usage event, wrong body of 1 MiB",
      tenant,
      "/usage/events",
      record(9000, (n) => [`k${n}`, fill("x", 90)]),
    ),
  ];
}

async function documents(tenant: Ask): Promise<RouteRow[]> {
  await expectOk(tenant("PUT", "/collections/notes", { body: {} }));
  const texts: [name: string, type: string, text: string][] = [
    ["8 MiB of text", "text/plain", fill("A word and another. ", 8 * MIB - 100)],
    ["Markdown", "text/markdown", fill("# A\n\n- b\n", MIB)],
    ["HTML", "text/html", fill("<p><b>a</p>", 4 * MIB)],
  ];
  return [
    ...texts.map(
      ([name, type, body], index): RouteRow => ({
        name: `platform: a document of ${name}`,
        ask: (round) =>
          tenant("PUT", `/collections/notes/documents/d${index}-${round}`, {
            body,
            headers: { "content-type": type },
          }),
      }),
    ),
    ...reads("platform", tenant, [
      ["chunks of a large document", "/collections/notes/documents/d0-0/chunks"],
    ]),
    posts("platform: query of documents", tenant, "/collections/notes/query", {
      query: fill("a word ", 8000),
      top_k: 100,
    }),
    {
      name: "platform: connection of 16 KiB",
      ask: (round) =>
        tenant("PUT", `/connections/c${round}`, {
          body: {
            base_url: "https://example.com",
            material: record(900, (n) => [`k${n}`, "0123456789"]),
          },
        }),
    },
    ...reads("platform", tenant, [["connections", "/connections"]]),
  ];
}
