import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readConnections } from "../../../src/services/platform/connections/read-connections.ts";
import type { TenantMessage } from "../../../src/services/platform/messages/routes.ts";
import jsonBodies from "../../corpora/json_bodies.json" with { type: "json" };
import hostileStrings from "../../corpora/strings_hostile.json" with { type: "json" };
import yamlManifests from "../../corpora/yaml_manifests.json" with { type: "json" };
import { type DescribedText, describedBytes } from "../../support/described-text.ts";
import { onePer } from "../../support/one-per.ts";
import { onEachEngine } from "../../support/storage-engines.ts";
import {
  asOwner,
  create,
  type PlatformWithOwner,
  platformWithOwner,
  specOf,
  yaml,
} from "./agents/sent-spec.ts";

const base_url = "https://erp.example";

interface Entry {
  id: string;
  input: DescribedText;
  why: string;
  expected: string;
}

onEachEngine("corpora through the platform", (engine) => {
  let platform: PlatformWithOwner;
  const sent: TenantMessage[] = [];

  beforeAll(async () => {
    const send = async (message: TenantMessage) => {
      sent.push(message);
      return { message_id: "m1", status: "pending" };
    };
    platform = await platformWithOwner(engine, (deps) => ({ ...deps, messages: { send } }));
    await create(platform, specOf("support"));
  });

  afterAll(() => platform[Symbol.asyncDispose]());
  // The test makes more changes than a tenant may make in a minute.
  beforeEach(() => {
    const { storage } = platform.deps;
    return storage.transact(async (tx) => void (await tx.delete(storage.tables.rateWindows)));
  });

  const stored = async () =>
    JSON.stringify([
      (await asOwner(platform, "GET", "/api/v1/agents")).body,
      (await asOwner(platform, "GET", "/api/v1/agents/support/versions")).body,
    ]);

  async function requireAlive(): Promise<void> {
    expect((await platform.call("GET", "/healthz")).status).toBe(200);
    expect(platform.logged.filter(({ level }) => level === "error")).toEqual([]);
  }

  describe("yaml_manifests", () => {
    test.each(yamlManifests.entries as Entry[])(
      "$id $why: 400 or 413, and nothing changes",
      async ({ input }) => {
        const before = await stored();
        const body = describedBytes(input);
        const paths = [
          ["POST", "/api/v1/agents"],
          ["PUT", "/api/v1/agents/support"],
        ] as const;
        for (const [method, path] of paths) {
          const answer = await asOwner(platform, method, path, { headers: yaml, body });
          expect([400, 413]).toContain(answer.status);
          if (answer.status === 400 && body !== "") expect(answer.body.problems.length).toBeGreaterThan(0);
          expect(answer.text.length).toBeLessThan(10_000);
        }
        expect(await stored()).toBe(before);
        await requireAlive();
      },
    );
  });

  describe("json_bodies", () => {
    /** `tests/http/json-bodies.test.ts` sends every entry to a route; each of these routes gets one for each outcome. */
    const bodies = onePer(jsonBodies.entries as Entry[], ({ expected }) => expected);
    const routes = [
      ["POST", "/auth/register"],
      ["POST", "/auth/login"],
      ["POST", "/auth/refresh"],
      ["POST", "/api/v1/tenants"],
      ["POST", "/api/v1/agents"],
      ["PUT", "/api/v1/agents/support"],
      ["PUT", "/api/v1/connections/erp"],
      ["POST", "/api/v1/messages/send"],
    ] as const;

    test.each(bodies)("$id $why: $expected", async ({ input, expected }) => {
      const before = await stored();
      for (const [method, path] of routes) {
        const isOfPeople = path === "/api/v1/tenants";
        const headers = {
          ...(isOfPeople ? platform.owner.asPerson : platform.owner.asProgram),
          "content-type": "application/json",
        };
        const answer = await platform.call(method, path, { headers, body: describedBytes(input) });
        // None of them is a complete request; generated ones may exceed the size limit first.
        const statuses = expected === "413" ? [413] : typeof input === "string" ? [400] : [400, 413];
        expect(statuses).toContain(answer.status);
        expect(answer.text.length).toBeLessThan(10_000);
      }
      expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
      expect(await stored()).toBe(before);
      await requireAlive();
    });

    test.each(bodies.filter(({ input }) => typeof input === "string" && input !== ""))(
      "$id $why, as a connection's material: as it is, or refused",
      async ({ id, input }) => {
        const name = id.replaceAll(/[^a-z0-9]/g, "-");
        const body = `{"base_url":"${base_url}","material":{"value":${input}}}`;
        const answer = await asOwner(platform, "PUT", `/api/v1/connections/${name}`, { body });
        expect([200, 400]).toContain(answer.status);
        const kept = (await readConnections(platform.deps, platform.owner.id))[name];
        if (answer.status === 200)
          expect(kept).toEqual({
            base_url,
            material: { value: withoutNegativeZero(JSON.parse(String(input))) },
          });
        else expect(kept).toBeUndefined();
        await requireAlive();
      },
    );
  });

  describe("strings_hostile", () => {
    test.each(hostileStrings.entries)("$id $why", async ({ id, input }) => {
      const isNul = input.includes("\0");
      const people = platform.owner.asPerson;
      const tenant = `/api/v1/tenants/${platform.owner.id}`;

      // A display name is one visible line, stored without surrounding spaces.
      const isName = !/[\p{Cc}]/u.test(input) && /[^\s\u200b-\u200d\ufeff]/u.test(input);
      const renamed = await platform.call("PATCH", tenant, { headers: people, body: { displayName: input } });
      expect([input, renamed.status]).toEqual([input, isName ? 200 : 400]);
      if (isName) {
        const { body } = await platform.call("GET", "/api/v1/tenants", { headers: people });
        expect(body.tenants[0].displayName).toBe(input.trim());
        expect([...renamed.headers.keys()]).not.toContain("set-cookie");
      }
      const key = await platform.call("POST", `${tenant}/keys`, { headers: people, body: { label: input } });
      expect(key.status).toBe(isName ? 201 : 400);
      if (isName) expect(key.body.label).toBe(input.trim());

      // Both engines return a spec's texts exactly as sent.
      const spec = specOf("support", { identity: { role: input }, prompts: { system: `Say ${input}` } });
      const replaced = await asOwner(platform, "PUT", "/api/v1/agents/support", { body: spec });
      const isText = !isNul && input !== "";
      expect(replaced.status).toBe(isText ? 200 : 400);
      if (isText) {
        expect((await asOwner(platform, "GET", "/api/v1/agents/support")).body.spec).toEqual(spec);
        const fromYaml = await asOwner(platform, "PUT", "/api/v1/agents/support", {
          headers: yaml,
          body: JSON.stringify(spec),
        });
        expect(fromYaml.body.spec).toEqual(spec);
      }
      const named = await create(platform, specOf(input));
      const isAgentName = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(input);
      expect(named.status).toBe(isAgentName ? 201 : 400);
      if (isAgentName) await asOwner(platform, "DELETE", `/api/v1/agents/${input}`);

      const name = id.replaceAll(/[^a-z0-9]/g, "-");
      const material = { [`key ${input}`]: input };
      const connected = await asOwner(platform, "PUT", `/api/v1/connections/${name}`, {
        body: { base_url, material },
      });
      expect(connected.status).toBe(isNul ? 400 : 200);
      if (!isNul) {
        expect((await readConnections(platform.deps, platform.owner.id))[name]).toEqual({
          base_url,
          material,
        });
      }

      sent.length = 0;
      const message = { channel: "echo", recipient: input, text: input, conversation_ref: input };
      const queued = await asOwner(platform, "POST", "/api/v1/messages/send", { body: message });
      expect(queued.status).toBe(isText ? 202 : 400);
      if (queued.status === 202) {
        expect(sent).toMatchObject([{ recipient: input, text: input, conversationRef: input }]);
      }

      const account = { email: input, password: `password ${input}`, displayName: "x" };
      const registered = await platform.call("POST", "/auth/register", { body: account });
      expect(registered.status).toBe(400);
      await requireAlive();
    });

    test("as a name in a path, a query or a header, each is 400 or 404", async () => {
      for (const { input } of hostileStrings.entries) {
        if (input === "") continue;
        const name = encodeURIComponent(input);
        const paths = [
          `/api/v1/agents/${name}/versions/1`,
          `/api/v1/agents/by-id/${name}/versions`,
          `/api/v1/agents/support/versions/${name}`,
          `/api/v1/agents/support/versions/1/diff/${name}`,
        ];
        for (const path of paths) {
          const answer = await asOwner(platform, "GET", path);
          expect([path, answer.status === 400 || answer.status === 404]).toEqual([path, true]);
        }
        const removed = await asOwner(platform, "DELETE", `/api/v1/connections/x${name}`);
        expect([400, 404]).toContain(removed.status);
        const query = `/api/v1/agents?subscription_id=${name}`;
        expect([400, 404]).toContain(
          (await asOwner(platform, "POST", query, { body: specOf("new") })).status,
        );
        if (/^[\x20-\x7e]*$/.test(input)) {
          const { authorization = "" } = platform.owner.asPerson;
          const headers = { authorization, "x-tenant-id": input };
          const answer = await platform.call("GET", "/api/v1/agents", { headers });
          expect([400, 404]).toContain(answer.status);
        }
      }
      await requireAlive();
    });
  });
});

/** Normalizes `-0` to `0`, as it is stored: JSON has only one zero for us. */
function withoutNegativeZero(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
