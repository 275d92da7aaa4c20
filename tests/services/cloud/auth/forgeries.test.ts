import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import corpus from "../../../corpora/jwt_forgeries.json" with { type: "json" };
import {
  type CloudPerson,
  cloudRing,
  cloudTokenKind,
  deploy,
  startCloud,
  type TestCloud,
} from "../../../support/cloud.ts";
import { type Forgery, forgedToken, signatureNames } from "../../../support/forged-tokens.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const entries = corpus.entries as Forgery[];
const forgeries = entries.filter(({ kind, input }) => kind !== "refresh" && input.query === undefined);
const refreshes = entries.filter(({ kind }) => kind === "refresh");

onEachEngine("jwt_forgeries, on the cloud", (engine) => {
  let cloud: TestCloud;
  let ada: CloudPerson;
  let paths: string[];

  beforeAll(async () => {
    cloud = await startCloud(engine);
    ada = await cloud.login("ada@example.com");
    const path = await deploy(cloud, ada);
    paths = ["/orgs/me", `${ada.org}/agents`, `${ada.org}/keys`, "/invitations", `${path}/stream`];
  });
  afterAll(() => cloud[Symbol.asyncDispose]());

  const tokenOf = (forgery: Forgery, signature?: string) =>
    forgedToken(forgery, {
      ring: cloudRing[0],
      kind: cloudTokenKind,
      own: JSON.parse(Buffer.from(ada.accessToken.split(".")[1] ?? "", "base64url").toString()),
      nowSeconds: Math.floor(cloud.clock.now().getTime() / 1000),
      ...(signature === undefined ? {} : { signature }),
    });
  const statusOf = async (path: string, token: string) =>
    (await cloud.call("GET", path, { headers: { authorization: `Bearer ${token}` } })).status;

  test("a token that is made as ours are is taken: the forgeries below differ from it", async () => {
    const input = {
      header: { alg: "HS256", kid: "k1", typ: "JWT" },
      payload: {
        iss: "platform",
        aud: "platform-api",
        sub: "user-1",
        iat: "now",
        exp: "now+900",
        typ: "access",
      },
      signature: "hmac(k1)",
    };
    expect(await statusOf("/orgs/me", tokenOf({ id: "", why: "", input }))).toBe(200);
  });

  test.each(forgeries)("$id $why: 401 on every kind of route and on the stream's query", async (entry) => {
    const { input, why } = entry;
    const tokens: string[] = [];
    if (input.raw?.startsWith("@repeat:A:")) tokens.push("A".repeat(Number(input.raw.split(":")[2])));
    else if (input.raw !== undefined) tokens.push(input.raw);
    else if (why === "token of an invalidated session") {
      const left = await cloud.login("ada@example.com");
      await cloud.call("POST", "/auth/logout", { headers: left.headers });
      tokens.push(left.accessToken);
    } else tokens.push(...signatureNames(input.signature).map((name) => tokenOf(entry, name)));
    for (const token of tokens) {
      for (const path of paths) {
        expect([path, await statusOf(path, token)]).toEqual([path, token.length > 10_000 ? 431 : 401]);
      }
      if (token.length > 10_000) continue;
      const stream = await cloud.call("GET", `${paths.at(-1)}?token=${encodeURIComponent(token)}`);
      expect([400, 401]).toContain(stream.status);
    }
  });

  test("a token in the query is 401 outside of the stream", async () => {
    const query = entries.find(({ input }) => input.query !== undefined);
    expect(query?.expected).toBe("401");
    for (const path of paths.slice(0, -1))
      expect((await cloud.call("GET", `${path}?token=${ada.accessToken}`)).status).toBe(401);
    // Only the handshake is missing.
    expect((await cloud.call("GET", `${paths.at(-1)}?token=${ada.accessToken}`)).body.error).toBe(
      "websocket_required",
    );
  });

  test.each(refreshes)("$id is 401: $why", async ({ id, expected }) => {
    const person = await cloud.login("ada@example.com");
    const refresh = (refresh_token: string) =>
      cloud.call("POST", "/auth/refresh", { body: { refresh_token } });
    switch (id) {
      case "jwt_forgeries-078": {
        const next = await refresh(person.refreshToken);
        expect(next.status).toBe(200);
        expect(next.body.refresh_token).not.toBe(person.refreshToken);
        await cloud.clock.advance(60_001);
        expect((await refresh(person.refreshToken)).status).toBe(401);
        break;
      }
      case "jwt_forgeries-079": {
        const { body: second } = await refresh(person.refreshToken);
        const { body: third } = await refresh(second.refresh_token);
        expect((await refresh(person.refreshToken)).status).toBe(401);
        expect((await refresh(third.refresh_token)).status).toBe(401);
        break;
      }
      case "jwt_forgeries-080": {
        const all = await Promise.all(Array.from({ length: 50 }, () => refresh(person.refreshToken)));
        expect(new Set(all.map(({ status, body }) => `${status} ${body.refresh_token}`)).size).toBe(1);
        expect(all[0]?.status).toBe(200);
        break;
      }
      case "jwt_forgeries-081": {
        const gone = await cloud.login("gone@example.com");
        const { storage } = cloud.deps;
        await storage.transact((tx) =>
          tx.delete(storage.tables.users).where(eq(storage.tables.users.email, "gone@example.com")),
        );
        expect((await refresh(gone.refreshToken)).status).toBe(401);
        break;
      }
      case "jwt_forgeries-083": {
        await cloud.clock.advance(7 * 86_400_000);
        expect((await refresh(person.refreshToken)).status).toBe(401);
        ada = await cloud.login("ada@example.com");
        break;
      }
      case "jwt_forgeries-084": {
        await cloud.call("POST", "/auth/logout", { headers: person.headers });
        expect((await refresh(person.refreshToken)).status).toBe(401);
        break;
      }
      case "jwt_forgeries-087": {
        const { status } = await refresh("a".repeat(100_000));
        expect([400, 401]).toContain(status);
        break;
      }
      default:
        throw new Error(`${id} (${expected}) is not played.`);
    }
  });

  test("no log line has a token", () => {
    expect(JSON.stringify(cloud.logged)).not.toContain("eyJ");
  });
});

describe("the corpus", () => {
  test("is played whole", () => {
    expect(forgeries.length + refreshes.length + 1).toBe(corpus.count);
  });
});
