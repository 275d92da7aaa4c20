import { expect, test } from "bun:test";
import { dropOldKeys } from "../../../../src/services/platform/operator-keys/once-by-key.ts";
import { asOperator, startPlatform, type TestPlatform } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const kinds = [
  { path: "grants", list: "grants", body: { credits_micros: 5, reason: "trial", price_micros: 7 } },
  { path: "adjustments", list: "adjustments", body: { amount_micros: -3, reason: "refund" } },
];

onEachEngine("an operator's request with an Idempotency-Key", (engine) => {
  const post = (platform: TestPlatform, path: string, body: object, key?: string) =>
    platform.call("POST", path, {
      headers: { ...asOperator, ...(key !== undefined && { "idempotency-key": key }) },
      body,
    });
  for (const { path: kind, list, body } of kinds) {
    test(`for ${kind}: 20 at once make one, and without a key each makes its own`, async () => {
      await using platform = await startPlatform(engine);
      const tenant = await platform.tenant();
      const path = `/api/v1/admin/tenants/${tenant.id}/${kind}`;
      const count = async () =>
        (await platform.call("GET", path, { headers: asOperator })).body[list].length as number;
      const answers = await Promise.all(Array.from({ length: 20 }, () => post(platform, path, body, "k1")));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
      expect(new Set(answers.map(({ body: made }) => made.id)).size).toBe(1);
      expect(await count()).toBe(1);
      await post(platform, path, body, "k2");
      await post(platform, path, body);
      await post(platform, path, body);
      expect(await count()).toBe(4);
    });

    test(`for ${kind}: another body or tenant is 422, a refused request frees the key, and 30 days later too`, async () => {
      await using platform = await startPlatform(engine);
      const [tenant, other] = [await platform.tenant(), await platform.tenant()];
      const path = (id: string) => `/api/v1/admin/tenants/${id}/${kind}`;
      expect((await post(platform, path("nobody"), body, "k")).status).toBe(404);
      expect((await post(platform, path(tenant.id), body, "k")).status).toBe(201);
      for (const [id, sent] of [
        [other.id, body],
        [tenant.id, { ...body, reason: "another" }],
      ] as const)
        expect(await post(platform, path(id), sent, "k")).toMatchObject({
          status: 422,
          body: { error: "idempotency_key_reused" },
        });
      for (const key of ["", "a b", "é", "x".repeat(256)])
        expect((await post(platform, path(tenant.id), body, key)).status).toBe(400);
      await platform.clock.advance(29 * 86_400_000);
      await dropOldKeys(platform.deps);
      expect((await post(platform, path(other.id), body, "k")).status).toBe(422);
      await platform.clock.advance(2 * 86_400_000);
      await dropOldKeys(platform.deps);
      expect((await post(platform, path(other.id), body, "k")).status).toBe(201);
    });
  }
});
