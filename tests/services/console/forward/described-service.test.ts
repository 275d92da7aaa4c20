import { expect, test } from "bun:test";
import type { ConsoleDeps } from "../../../../src/services/console/deps.ts";
import { createForward } from "../../../../src/services/console/forward/forward.ts";
import type { Grants } from "../../../../src/services/console/sessions/grants.ts";
import { createPersonTokens } from "../../../../src/services/console/sessions/person-tokens.ts";
import { openSessionBook } from "../../../../src/services/console/sessions/session-book.ts";
import type { ConsoleRules } from "../../../../src/services/console/targets.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { refusal } from "../../../support/refusal.ts";

/** A service that the console knows by this description alone. */
const rules: ConsoleRules = {
  page: () => false,
  closed: ["/private"],
  sockets: /^\/v1\/live$/,
  credential: { by: "api_token" },
  hint: "Ask its operator.",
};

/** Calls of a session's page to the service `sample`, from a page of `home`. */
async function pageOf(home: string, grants: Grants, console: ConsoleRules = rules) {
  const clock = new FakeClock();
  const sessions = openSessionBook(clock, { read: () => [], write() {} });
  const { id, key } = await sessions.open(grants);
  const app = {
    handle: (request: Request) =>
      Response.json([request.headers.get("authorization"), request.headers.get("x-operator-token")]),
  };
  const targets = new Map([["sample", { app, console }]]);
  const deps = { sessions, targets, clock, apiToken: "the api token", operatorToken: "the operator token" };
  const known = deps as unknown as ConsoleDeps;
  const forward = createForward(known, home, createPersonTokens(known));
  return (path: string, headers: Record<string, string> = {}) => {
    const url = `http://localhost:8000/console/api/sample${path}`;
    const cookie = `argosy_console_8000=${id}`;
    const request = new Request(url, { headers: { cookie, "x-argosy-console": key, ...headers } });
    return forward(request, { peer: "network" }, new URL(url).pathname);
  };
}

const byLink: Grants = { daemon: "link" };
const operator: Grants = {
  operator: new Bun.CryptoHasher("sha256").update("the operator token").digest("hex"),
};

test("its calls carry the credential that it describes", async () => {
  expect(await (await (await pageOf("other", byLink))("/v1/things")).json()).toEqual([
    "Bearer the api token",
    null,
  ]);
  const ofPeople: ConsoleRules = { ...rules, credential: { by: "person", operatorPath: "/admin" } };
  const call = await pageOf("other", operator, ofPeople);
  expect(await (await call("/admin/things")).json()).toEqual([null, "the operator token"]);
  expect(await (await call("/things")).json()).toEqual([null, null]);
});

test("a visitor uses it on its own listener only, and elsewhere gets its hint", async () => {
  expect((await (await pageOf("sample", { visitor: true }))("/v1/things")).status).toBe(200);
  expect(await refusal((await pageOf("other", { visitor: true }))("/v1/things"))).toMatchObject({
    code: "not_granted",
    message: "This session may not use the sample.",
    details: { hint: "Ask its operator." },
  });
});

test("its closed paths and other sockets are as absent", async () => {
  const call = await pageOf("sample", byLink);
  expect((await refusal(call("/private/keys"))).code).toBe("not_found");
  const socket = { upgrade: "websocket", origin: "http://localhost:8000" };
  expect((await refusal(call("/v1/other", socket))).code).toBe("not_found");
  expect((await refusal(call("/v1/live", socket))).code).toBe("ticket_needed");
  expect((await call("/v1/live?ticket=t", socket)).status).toBe(200);
});
