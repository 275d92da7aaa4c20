import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { AppError } from "../../../../src/kit/app-error.ts";
import { newId } from "../../../../src/kit/id.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import {
  addSubscription,
  asOwner,
  create,
  type PlatformWithOwner,
  platformWithOwner,
  specOf,
  yaml,
} from "./sent-spec.ts";

const rowsOf = async ({ deps: { storage } }: PlatformWithOwner) => [
  ...(await storage.read.select().from(storage.tables.agents)),
  ...(await storage.read.select().from(storage.tables.agentVersions)),
];

const yamlText = `apiVersion: platform/v1
kind: Agent
metadata:
  name: support # the name
spec:
  identity: { display_name: Támogatás }
  model:
    primary: { provider: lab, model: test-model, parameters: { temperature: 0.30 } }
`;

onEachEngine("creating an agent", (engine) => {
  test("from JSON makes version 1, and gives back what was sent", async () => {
    await using platform = await platformWithOwner(engine);
    const spec = specOf("support", {
      identity: { display_name: "Support", role: "é \u{1F468}\u200d\u{1F469}" },
    });
    const made = await create(platform, spec);
    expect(made.status).toBe(201);
    const agent = {
      id: expect.any(String),
      name: "support",
      display_name: "Support",
      status: "active",
      current_version: 1,
      subscription_id: null,
      created_at: "2026-03-10T12:00:00.000Z",
      updated_at: "2026-03-10T12:00:00.000Z",
    };
    expect(made.body).toEqual({ ...agent, spec });
    expect((await asOwner(platform, "GET", "/api/v1/agents/support")).body).toEqual(made.body);
    expect((await asOwner(platform, "GET", "/api/v1/agents")).body).toEqual({
      agents: [{ ...agent, id: made.body.id }],
    });
    const hash = new Bun.CryptoHasher("sha256").update(platform.owner.key).digest("hex");
    const version = {
      number: 1,
      created_at: agent.created_at,
      author: `key:${hash}`,
      checksum: createHash("sha256").update(sorted(spec)).digest("hex"),
    };
    const versions = await asOwner(platform, "GET", "/api/v1/agents/support/versions");
    expect(versions.body).toEqual({ versions: [version] });
    const one = await asOwner(platform, "GET", "/api/v1/agents/support/versions/1");
    expect(one.body).toEqual({ ...version, spec });
  });

  test.each(["application/yaml", "text/yaml", "application/x-yaml; charset=utf-8"])(
    "from YAML as %s makes what the same JSON makes",
    async (type) => {
      await using platform = await platformWithOwner(engine);
      const made = await asOwner(platform, "POST", "/api/v1/agents", {
        headers: { "content-type": type },
        body: yamlText,
      });
      expect(made.status).toBe(201);
      const { spec, display_name } = made.body;
      expect(display_name).toBe("Támogatás");
      expect(spec).toEqual({
        apiVersion: "platform/v1",
        kind: "Agent",
        metadata: { name: "support" },
        spec: {
          identity: { display_name: "Támogatás" },
          model: { primary: { provider: "lab", model: "test-model", parameters: { temperature: 0.3 } } },
        },
      });
      const [{ checksum }] = (await asOwner(platform, "GET", "/api/v1/agents/support/versions")).body
        .versions;
      expect(checksum).toBe(createHash("sha256").update(sorted(spec)).digest("hex"));
    },
  );

  test("a person of the tenant is named as the author", async () => {
    await using platform = await platformWithOwner(engine);
    const { asPerson, userId } = platform.owner;
    await platform.call("POST", "/api/v1/agents", { headers: asPerson, body: specOf("support") });
    const { body } = await asOwner(platform, "GET", "/api/v1/agents/support/versions");
    expect(body.versions[0].author).toBe(`user:${userId}`);
  });

  test("every fault of a YAML text is 400 with its place", async () => {
    await using platform = await platformWithOwner(engine);
    const body = yamlText.replace("kind: Agent", "kind: Agnet").replace("primary:", "primery:");
    const refused = await asOwner(platform, "POST", "/api/v1/agents", { headers: yaml, body });
    expect(refused).toMatchObject({ status: 400, body: { error: "invalid_manifest" } });
    expect(refused.body.problems).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ path: "kind", line: 2, column: expect.any(Number) }),
        expect.objectContaining({ path: expect.stringContaining("primery"), line: 8 }),
      ]),
    );
    expect(await rowsOf(platform)).toEqual([]);
  });

  test("what the runtime finds wrong is 400 with its place, and nothing is stored", async () => {
    const problem = { path: "spec.model.primary.model", message: "is not known" };
    await using platform = await platformWithOwner(engine, (deps) => ({
      ...deps,
      runtime: { ...deps.runtime, check: async () => [problem] },
    }));
    const refused = await asOwner(platform, "POST", "/api/v1/agents", { headers: yaml, body: yamlText });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: "invalid_manifest", problems: [{ ...problem, line: 8 }] },
    });
    expect((await create(platform, specOf("support"))).body.problems).toEqual([problem]);
    expect(await rowsOf(platform)).toEqual([]);
  });

  test("the runtime is asked for the tenant, about what was sent", async () => {
    const asked: unknown[] = [];
    await using platform = await platformWithOwner(engine, (deps) => ({
      ...deps,
      runtime: {
        ...deps.runtime,
        async check(tenantId, spec) {
          asked.push([tenantId, spec]);
          return [];
        },
      },
    }));
    await create(platform, specOf("support"));
    expect(asked).toEqual([[platform.owner.id, specOf("support")]]);
  });

  test("without a runtime is 502, and nothing is stored", async () => {
    await using platform = await platformWithOwner(engine, (deps) => ({
      ...deps,
      runtime: {
        ...deps.runtime,
        async check() {
          throw new AppError("upstream_failed", "runtime_unreachable", "The runtime could not be reached.");
        },
      },
    }));
    expect(await create(platform, specOf("support"))).toMatchObject({
      status: 502,
      body: { error: "runtime_unreachable" },
    });
    expect(await rowsOf(platform)).toEqual([]);
  });

  test.each([
    "Support",
    "-support",
    "support-",
    "sup_port",
    "sup port",
    "by-id",
    "",
    "a".repeat(64),
    "a/b",
    "..",
    "\u0661\u0662",
  ])("the name %p is 400", async (name) => {
    await using platform = await platformWithOwner(engine);
    const refused = await create(platform, specOf(name));
    expect(refused).toMatchObject({ status: 400, body: { problems: [{ path: "metadata.name" }] } });
  });

  test("a name is the tenant's own, once among its live agents: a second one is 409", async () => {
    await using platform = await platformWithOwner(engine);
    const { asProgram } = await platform.tenant();
    const first = await create(platform, specOf("support"));
    expect(await create(platform, specOf("support"))).toMatchObject({
      status: 409,
      body: { error: "agent_exists" },
    });
    const foreign = await platform.call("POST", "/api/v1/agents", {
      headers: asProgram,
      body: specOf("support"),
    });
    expect(foreign.status).toBe(201);
    expect((await asOwner(platform, "DELETE", "/api/v1/agents/support")).status).toBe(204);
    const again = await create(platform, specOf("support"));
    expect(again.status).toBe(201);
    expect(again.body.id).not.toBe(first.body.id);
  });

  test("ten times at once with one name makes one agent; the other nine are 409", async () => {
    await using platform = await platformWithOwner(engine);
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(platform, specOf("support"))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
    expect(await rowsOf(platform)).toHaveLength(2);
  });

  test("the plan's number of agents holds, also at once; deleted ones don't count", async () => {
    await using platform = await platformWithOwner(engine);
    const many = Array.from({ length: 30 }, (_, number) => create(platform, specOf(`a${number}`)));
    const answers = await Promise.all(many);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(25);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(new Set(refused.map(({ status, body }) => `${status} ${body.error}`))).toEqual(
      new Set(["409 agent_limit_reached"]),
    );
    const [{ name }] = (await asOwner(platform, "GET", "/api/v1/agents")).body.agents;
    await asOwner(platform, "DELETE", `/api/v1/agents/${name}`);
    expect((await create(platform, specOf("one-more"))).status).toBe(201);
  });

  test("with a subscription: its runs use it; another tenant's is 404, an inactive one 422", async () => {
    await using platform = await platformWithOwner(engine);
    const own = await addSubscription(platform, platform.owner);
    const cancelledAt = platform.clock.now();
    const over = await addSubscription(platform, platform.owner, { argoCode: "crm", cancelledAt });
    const foreign = await addSubscription(platform, await platform.tenant());
    const asked = (id: string) => create(platform, specOf("support"), `?subscription_id=${id}`);
    const bodies = new Set<string>();
    for (const id of [foreign, newId(), "x", "%27"]) {
      const { status, text } = await asked(id);
      expect([id, status]).toEqual([id, 404]);
      bodies.add(text);
    }
    expect(bodies.size).toBe(1);
    expect(await asked(over)).toMatchObject({ status: 422, body: { error: "subscription_inactive" } });
    expect(await rowsOf(platform)).toEqual([]);
    expect(await asked(own)).toMatchObject({ status: 201, body: { subscription_id: own } });
  });

  test.each<[string, Record<string, string>, string | Uint8Array | undefined, number, string]>([
    ["no body is 400", {}, undefined, 400, "invalid_request"],
    ["over 1 MiB is 413", {}, `{"a":"${"x".repeat(1024 * 1024)}"}`, 413, "body_too_large"],
    ["over 1 MiB of YAML is 413", yaml, `a: ${"x".repeat(1024 * 1024)}`, 413, "body_too_large"],
    ["encoded is 415", { ...yaml, "content-encoding": "gzip" }, yamlText, 415, "unsupported_media_type"],
    ["invalid UTF-8 is 400", yaml, Uint8Array.of(0x61, 0xff), 400, "invalid_request"],
    [
      "a page's undeclared text is 415",
      { origin: "https://evil.example", "content-type": "text/plain" },
      yamlText,
      415,
      "unsupported_media_type",
    ],
    [
      "a number that would change is 400",
      { "content-type": "application/json" },
      JSON.stringify(specOf("support")).replace('"support"', '"support","n":9007199254740993'),
      400,
      "number_not_representable",
    ],
    ["a list is 400", {}, "[]", 400, "invalid_manifest"],
    ["a text is 400", {}, '"support"', 400, "invalid_manifest"],
  ])("%s", async (_, headers, body, status, error) => {
    await using platform = await platformWithOwner(engine);
    const answer = await asOwner(platform, "POST", "/api/v1/agents", {
      headers,
      ...(body !== undefined && { body }),
    });
    expect(answer).toMatchObject({ status, body: { error } });
    expect(await rowsOf(platform)).toEqual([]);
  });

  test("a number of YAML that would change is 400 with its place", async () => {
    await using platform = await platformWithOwner(engine);
    const body = yamlText.replace("0.30", "9007199254740993");
    const refused = await asOwner(platform, "POST", "/api/v1/agents", { headers: yaml, body });
    expect(refused).toMatchObject({ status: 400, body: { problems: [{ line: 8 }] } });
  });

  test("a caller without a credential is 401 before the body is read", async () => {
    await using platform = await platformWithOwner(engine);
    for (const body of [JSON.stringify(specOf("support")), "nonsense: ["]) {
      expect((await platform.call("POST", "/api/v1/agents", { body, headers: yaml })).status).toBe(401);
    }
  });
});

/** Canonical JSON by another method: a replacer that lists every key in order. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(
          Object.keys(inner)
            .sort()
            .map((key) => [key, inner[key]]),
        )
      : inner,
  );
}
