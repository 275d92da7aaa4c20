import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHmac, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { newId } from "../../../../src/kit/id.ts";
import { createAccessTokens } from "../../../../src/services/platform/auth/access-tokens.ts";
import { derivedKey, type KeyRing } from "../../../../src/storage/sealing/key-ring.ts";
import corpus from "../../../corpora/jwt_forgeries.json" with { type: "json" };
import { asOperator, startPlatform, type TestPlatform, type TestTenant } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

interface Forgery {
  id: string;
  why: string;
  kind?: string;
  input: {
    header?: Record<string, unknown>;
    payload?: Record<string, unknown>;
    signature?: string;
    raw?: string;
    query?: string;
  };
}

const entries = corpus.entries as Forgery[];
const forgeries = entries.filter(({ kind, input }) => kind !== "refresh" && input.query === undefined);

const k1 = { kid: "k1", secret: randomBytes(32) };
const retired = { kid: "k-retired", secret: randomBytes(32) };
const ring: KeyRing = [k1];
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const publicPem = rsa.publicKey.export({ type: "spki", format: "pem" });

const keyOf = (key: typeof k1) => derivedKey(key, "platform access tokens");

/** Signatures by name. Two keys that were derived alike sign alike, which a forger would need. */
const signatures: Record<string, (input: string) => Buffer> = {
  empty: () => Buffer.alloc(0),
  "hmac(k1)": (input) => createHmac("sha256", keyOf(k1)).update(input).digest(),
  "hmac(k1)[0:31]": (input) => signatures["hmac(k1)"]?.(input).subarray(0, 31) ?? Buffer.alloc(0),
  "hmac(k1)+00": (input) =>
    Buffer.concat([signatures["hmac(k1)"]?.(input) ?? Buffer.alloc(0), Buffer.alloc(1)]),
  "hmac(public_key_pem)": (input) => createHmac("sha256", publicPem).update(input).digest(),
  "hmac('') or hmac(k1)": (input) => createHmac("sha256", keyOf(k1)).update(input).digest(),
  "hmac('')": (input) => createHmac("sha256", "").update(input).digest(),
  "by attacker key": (input) => createHmac("sha256", "AA").update(input).digest(),
  "rsa(attacker)": (input) => sign("sha256", Buffer.from(input), rsa.privateKey),
  "hmac(k-retired)": (input) => createHmac("sha256", keyOf(retired)).update(input).digest(),
};

const encoded = (part: unknown) => Buffer.from(JSON.stringify(part)).toString("base64url");

onEachEngine("jwt_forgeries", (engine) => {
  let platform: TestPlatform;
  let owner: TestTenant;
  let own: Record<string, unknown>;

  beforeAll(async () => {
    platform = await startPlatform(engine, (deps) => ({
      ...deps,
      tokens: createAccessTokens(ring, deps.clock),
    }));
    owner = await platform.tenant({ role: "operator" });
    own = claimsIn(owner.asPerson.authorization ?? "");
  });

  afterAll(() => platform[Symbol.asyncDispose]());

  /** Returns the forgery as a token of an existing person's active session, so that only the forgery is wrong with it. */
  function tokenOf({ input }: Forgery, signature = input.signature ?? ""): string {
    const nowSeconds = Math.floor(platform.clock.now().getTime() / 1000);
    const instant = (value: unknown): unknown => {
      const [, offset, isText] = /^now([+-]\d+)?( as string)?$/.exec(String(value)) ?? [];
      if (!String(value).startsWith("now")) return value;
      const seconds = nowSeconds + Number(offset ?? 0);
      return isText === undefined ? seconds : String(seconds);
    };
    const payload = Object.fromEntries(
      Object.entries(input.payload ?? {}).map(([name, value]) => [name, instant(value)]),
    );
    const known = { ...payload, sid: own.sid, ...(payload.sub === "user-1" && { sub: own.sub }) };
    const text = `${encoded(input.header)}.${encoded(known)}`;
    const made = signatures[signature];
    if (made === undefined) throw new Error(`The corpus has a signature ${signature} that is not made here.`);
    return `${text}.${made(text).toString("base64url")}`;
  }

  async function statusesOf(authorization: string, path = "/api/v1/me"): Promise<number> {
    return (await platform.call("GET", path, { headers: { authorization, "x-tenant-id": owner.id } })).status;
  }

  test("a token made the way ours are is accepted; a shortened one is 401", async () => {
    const { header, payload } = {
      header: { alg: "HS256", kid: "k1", typ: "JWT" },
      payload: {
        iss: "platform",
        aud: "platform-api",
        sub: "user-1",
        iat: "now",
        exp: "now+900",
        typ: "access",
      },
    };
    const token = tokenOf({ id: "", why: "", input: { header, payload, signature: "hmac(k1)" } });
    expect(await statusesOf(`Bearer ${token}`)).toBe(200);
    expect(await statusesOf(`bearer ${token}`)).toBe(200);
    expect(await statusesOf(`Bearer ${token}`, "/api/v1/admin/tariffs")).toBe(200);
    expect(await statusesOf(`Bearer ${token.slice(0, -2)}`)).toBe(401);
    expect(await statusesOf(token)).toBe(401);
    expect(await statusesOf(`Basic ${token}`)).toBe(401);
  });

  test.each<[string, string, string, number]>([
    ["made as much ahead as clocks may differ", "now+30", "now+930", 200],
    ["made further ahead", "now+31", "now+931", 401],
    ["made in the far future", "now+86400", "now+87300", 401],
    ["that lasts longer than any of ours", "now+0", "now+901", 401],
    ["that lasts for years", "now+0", "now+99999999", 401],
    ["that was made long ago and lasts", "now-86400", "now+1", 401],
    ["that ends before it was made", "now+20", "now+10", 401],
  ])("a token %s is 401", async (_, iat, exp, status) => {
    const header = { alg: "HS256", kid: "k1", typ: "JWT" };
    const payload = { iss: "platform", aud: "platform-api", sub: "user-1", iat, exp, typ: "access" };
    const token = tokenOf({ id: "", why: "", input: { header, payload, signature: "hmac(k1)" } });
    expect(await statusesOf(`Bearer ${token}`)).toBe(status);
  });

  test.each(forgeries)("$id $why: 401", async (entry) => {
    const { input, id, why } = entry;
    const tokens: string[] = [];
    if (input.raw?.startsWith("@repeat:A:")) tokens.push("A".repeat(Number(input.raw.split(":")[2])));
    else if (input.raw !== undefined) tokens.push(input.raw);
    else if (why === "token of an invalidated session") tokens.push(await endedToken());
    else if (input.signature?.includes(" or ")) tokens.push(tokenOf(entry, "hmac('')"), tokenOf(entry));
    else tokens.push(tokenOf(entry));
    for (const token of tokens) {
      for (const path of ["/api/v1/me", "/api/v1/agents", "/api/v1/admin/tariffs"]) {
        const status = await statusesOf(`Bearer ${token}`, path);
        expect([id, path, status]).toEqual([id, path, token.length > 10_000 ? 431 : 401]);
      }
    }
  });

  test("a token of a key that was taken out of the ring is 401", async () => {
    const entry = forgeries.find(({ input }) => input.header?.kid === "k-unknown");
    const header = { alg: "HS256", kid: "k-retired" };
    const token = tokenOf({ ...(entry as Forgery), input: { ...entry?.input, header } }, "hmac(k-retired)");
    expect(await statusesOf(`Bearer ${token}`)).toBe(401);
  });

  test("a token in the query, outside of a stream, is 401", async () => {
    const token = owner.asPerson.authorization?.replace("Bearer ", "");
    for (const path of ["/api/v1/me", "/api/v1/agents", "/api/v1/admin/tariffs"]) {
      expect((await platform.call("GET", `${path}?token=${token}&access_token=${token}`)).status).toBe(401);
    }
  });

  test("no log line holds a token", () => {
    expect(JSON.stringify(platform.logged)).not.toContain("eyJ");
  });

  test("each kind of credential opens its own plane alone", async () => {
    const { authorization = "" } = owner.asPerson;
    const person = (await platform.tenant()).asPerson;
    const wrong: [string, string, Record<string, string>][] = [
      ["GET", "/api/v1/me", owner.asProgram],
      ["GET", "/api/v1/me", asOperator],
      ["GET", "/api/v1/tenants", owner.asProgram],
      ["GET", "/api/v1/agents", asOperator],
      ["GET", "/api/v1/agents", { ...owner.asProgram, authorization }],
      ["GET", "/api/v1/agents", { authorization: `Bearer ${owner.key}`, "x-tenant-id": owner.id }],
      ["GET", "/api/v1/agents", { "x-api-key": authorization.slice("Bearer ".length) }],
      ["GET", "/api/v1/admin/tariffs", owner.asProgram],
      ["GET", "/api/v1/admin/tariffs", person],
      ["GET", "/api/v1/admin/tariffs", { "x-operator-token": "" }],
      ["GET", "/api/v1/admin/tariffs", { "x-operator-token": `${asOperator["x-operator-token"]}x` }],
      ["GET", "/api/v1/admin/tariffs", { authorization: `Bearer ${asOperator["x-operator-token"]}` }],
      ["GET", "/api/v1/admin/tariffs", { authorization, "x-operator-token": "wrong" }],
    ];
    for (const [method, path, headers] of wrong) {
      const { status, body } = await platform.call(method, path, { headers });
      expect([method, path, headers, status, body.error]).toEqual([
        method,
        path,
        headers,
        401,
        "unauthorized",
      ]);
    }
    expect((await platform.call("GET", "/api/v1/admin/tariffs", { headers: asOperator })).status).toBe(200);
  });

  async function endedToken(): Promise<string> {
    const { storage, tokens, clock } = platform.deps;
    const sessionId = newId();
    const session = { id: sessionId, userId: owner.userId, createdAt: clock.now(), revokedAt: clock.now() };
    await storage.transact((tx) => tx.insert(storage.tables.sessions).values(session));
    return tokens.issue({ userId: owner.userId, sessionId });
  }
});

describe("the corpus", () => {
  test("has its forgeries, its refreshes (see refresh.test.ts) and its query", () => {
    expect(entries).toHaveLength(corpus.count);
    expect(forgeries).toHaveLength(43);
    expect(entries.filter(({ kind }) => kind === "refresh")).toHaveLength(7);
  });
});

function claimsIn(authorization: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(authorization.split(".")[1] ?? "", "base64url").toString());
}
