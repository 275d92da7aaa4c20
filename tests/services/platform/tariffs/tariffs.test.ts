import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newId } from "../../../../src/kit/id.ts";
import { closeDue } from "../../../../src/services/platform/billing/closing-job.ts";
import { ratesInForce } from "../../../../src/services/platform/tariffs/rates-in-force.ts";
import { auditOf, notOperators, tariff } from "../../../support/billing.ts";
import { asOperator, startPlatform, type TestPlatform } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const path = "/api/v1/admin/tariffs";
const dayMs = 86_400_000;

onEachEngine("tariffs", (engine) => {
  const file = ({ call }: TestPlatform, body: unknown) => call("POST", path, { headers: asOperator, body });
  const inForce = async ({ call }: TestPlatform, at = "") =>
    (await call("GET", `${path}${at}`, { headers: asOperator })).body.tariffs;

  test("a tariff is filed, in force from now on, and audited", async () => {
    await using platform = await startPlatform(engine);
    const answer = await file(platform, tariff({ own: true, infra_cost_per_second_micros: 7 }));
    expect(answer).toMatchObject({
      status: 201,
      body: {
        provider: "lab",
        model: "test-model",
        effective_from: "2026-03-10T12:00:00.000Z",
        credits_per_1k_in_micros: 1000,
        credits_per_1k_out_micros: 2000,
        credits_per_1k_cached_in_micros: null,
        provider_cost_per_1k_in_micros: null,
        provider_cost_per_1k_out_micros: null,
        infra_cost_per_second_micros: 7,
        own: true,
        created_at: "2026-03-10T12:00:00.000Z",
      },
    });
    expect(await inForce(platform)).toEqual([answer.body]);
    expect(await auditOf(platform)).toEqual([
      { actor: "token", action: "tariff.file", tenantId: null, subject: answer.body.id },
    ]);
  });

  test("of each model the latest by an instant is in force", async () => {
    await using platform = await startPlatform(engine);
    await file(platform, tariff({ effective_from: "2026-01-01T00:00:00Z" }));
    await file(
      platform,
      tariff({ effective_from: "2026-03-01T01:00:00+01:00", credits_per_1k_in_micros: 5 }),
    );
    await file(platform, tariff({ effective_from: "2026-05-01T00:00:00Z", credits_per_1k_in_micros: 9 }));
    await file(platform, tariff({ model: "other", effective_from: "2026-02-01T00:00:00Z" }));
    const pricesAt = async (at?: string) =>
      (await inForce(platform, at && `?at=${at}`)).map(
        (one: { model: string; credits_per_1k_in_micros: number }) => [
          one.model,
          one.credits_per_1k_in_micros,
        ],
      );
    expect(await pricesAt()).toEqual([
      ["other", 1000],
      ["test-model", 5],
    ]);
    expect(await pricesAt("2025-12-31T23:59:59.999Z")).toEqual([]);
    expect(await pricesAt("2026-02-28T23:59:59.999Z")).toEqual([
      ["other", 1000],
      ["test-model", 1000],
    ]);
    expect(await pricesAt("2026-03-01T00:00:00Z")).toContainEqual(["test-model", 5]);
    expect(await pricesAt("2027-01-01T00:00:00Z")).toContainEqual(["test-model", 9]);
  });

  test("rows with an alias or another spelling are tariffs of the provider, the latest one counts; an invalid name is 400", async () => {
    await using platform = await startPlatform(engine);
    const { storage, clock } = platform.deps;
    const row = {
      model: "m",
      creditsPer1kOut: 1,
      creditsPer1kCached: null,
      providerCostPer1kIn: null,
      providerCostPer1kOut: null,
      infraCostPerSecond: null,
      own: false,
      createdAt: clock.now(),
    };
    const stored = [
      { provider: "openai_compat", effectiveFrom: new Date("2026-01-01"), creditsPer1kIn: 11 },
      { provider: "openai", effectiveFrom: new Date("2026-02-01"), creditsPer1kIn: 12 },
      { provider: " OpenAI ", effectiveFrom: new Date("2026-03-01"), creditsPer1kIn: 13 },
    ];
    await storage.transact(async (tx) => {
      for (const change of stored)
        await tx.insert(storage.tables.tariffs).values({ ...row, ...change, id: newId() });
    });
    const creditsAt = async (provider: string, at: string) => {
      const ratesOf = await ratesInForce(
        storage.read,
        storage.tables,
        [{ provider, model: "m" }],
        new Date(at),
      );
      return ratesOf(provider, "m")?.creditsIn;
    };
    for (const provider of ["openai", "openai_compat"]) {
      expect(await creditsAt(provider, "2026-01-15")).toBe(11);
      expect(await creditsAt(provider, "2026-02-15")).toBe(12);
      expect(await creditsAt(provider, "2026-03-05")).toBe(13);
      expect(await creditsAt(provider, "2025-12-31")).toBeUndefined();
    }
    expect(await inForce(platform)).toMatchObject([{ provider: "openai", credits_per_1k_in_micros: 13 }]);
    expect((await file(platform, tariff({ provider: "OpenAI_Compat ", model: " m " }))).body).toMatchObject({
      provider: "openai",
      model: "m",
    });
    for (const provider of [" ", "open\nai"])
      expect((await file(platform, tariff({ provider }))).status).toBe(400);
  });

  test("a second tariff of a model for one instant is 409, of 20 at once one is filed", async () => {
    await using platform = await startPlatform(engine);
    const body = tariff({ effective_from: "2026-04-01T00:00:00Z" });
    const answers = await Promise.all(Array.from({ length: 20 }, () => file(platform, body)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(19);
    expect(refused[0]?.body.error).toBe("tariff_exists");
    expect(await auditOf(platform)).toHaveLength(1);
  });

  test("a tariff that begins inside anyone's closed period is 409", async () => {
    await using platform = await startPlatform(engine);
    await platform.tenant();
    await platform.clock.advance(30 * dayMs);
    await closeDue(platform.deps);
    expect(await file(platform, tariff({ effective_from: "2026-03-31T23:59:59.999Z" }))).toMatchObject({
      status: 409,
      body: { error: "period_closed" },
    });
    expect((await file(platform, tariff({ effective_from: "2026-04-01T00:00:00Z" }))).status).toBe(201);
  });

  test("rates have up to three decimals, which are stored and returned exactly", async () => {
    await using platform = await startPlatform(engine);
    const rates = {
      credits_per_1k_in_micros: 37.5,
      credits_per_1k_out_micros: 1.005,
      credits_per_1k_cached_in_micros: 0.001,
      provider_cost_per_1k_in_micros: 999_999_999_999.999,
      provider_cost_per_1k_out_micros: 150,
      provider_cost_per_1k_cached_in_micros: 18.75,
    };
    expect(await file(platform, tariff(rates))).toMatchObject({ status: 201, body: rates });
    expect(await inForce(platform)).toMatchObject([rates]);
  });

  describe("refusals", () => {
    let platform: TestPlatform;
    beforeAll(async () => {
      platform = await startPlatform(engine);
    });
    afterAll(() => platform[Symbol.asyncDispose]());

    test.each<[string, unknown]>([
      ["no body", undefined],
      ["no rates", { provider: "lab", model: "m" }],
      ["no model", { ...tariff(), model: undefined }],
      ["an empty provider", tariff({ provider: "" })],
      ["a negative rate", tariff({ credits_per_1k_in_micros: -1 })],
      ["a fourth decimal", tariff({ credits_per_1k_in_micros: 0.0005 })],
      ["an exponent below it", tariff({ provider_cost_per_1k_cached_in_micros: 1e-7 })],
      ["a rate in words", { ...tariff(), credits_per_1k_in_micros: "1000" }],
      ["a rate whose sums could not be exact", tariff({ credits_per_1k_in_micros: 1_000_000_000_001 })],
      [
        "a number that JSON can't hold",
        '{"provider":"lab","model":"m","credits_per_1k_in_micros":9007199254740993,"credits_per_1k_out_micros":1}',
      ],
      ["an unknown field", { ...tariff(), price: 1 }],
      ["no instant", tariff({ effective_from: "tomorrow" })],
      ["a day that no calendar has", tariff({ effective_from: "2026-02-30T00:00:00Z" })],
      ["NUL", tariff({ model: "m\0" })],
    ])("%s is 400", async (_, body) => {
      const answer = await file(platform, body);
      expect(answer.status).toBe(400);
      expect(answer.body.error).toBeString();
      expect(await inForce(platform)).toEqual([]);
    });

    test("an `at` that is not an instant is 400", async () => {
      const answer = await platform.call("GET", `${path}?at=now`, { headers: asOperator });
      expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    });

    test("to see or file them is 401 except for operators", async () => {
      for (const [who, headers] of notOperators(await platform.tenant())) {
        const seen = await platform.call("GET", path, { headers });
        const filed = await platform.call("POST", path, { headers, body: tariff() });
        expect([who, seen.status, filed.status]).toEqual([who, 401, 401]);
      }
      expect(await inForce(platform)).toEqual([]);
    });

    test("they are never changed: such methods are 405", async () => {
      for (const method of ["PUT", "PATCH", "DELETE"]) {
        const answer = await platform.call(method, path, { headers: asOperator, body: tariff() });
        expect([method, answer.status]).toEqual([method, 405]);
        expect(answer.headers.get("allow")).toContain("POST");
      }
    });
  });
});
