import { describe, expect, test } from "bun:test";
import { daemonService } from "../../../src/compose/daemon/service.ts";
import { type Access, createFrontDoor } from "../../../src/http/front-door/front-door.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { createConsoleApp } from "../../../src/services/console/app.ts";
import type { ConsoleBundle } from "../../../src/services/console/assets/console-bundle.ts";
import type { ConsoleDeps } from "../../../src/services/console/deps.ts";
import { openSessionBook } from "../../../src/services/console/sessions/session-book.ts";
import { createSessionLinks } from "../../../src/services/console/sessions/session-links.ts";
import { createTokenAttempts } from "../../../src/services/console/sessions/token-attempts.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const bytes = new TextEncoder().encode("console.log(1)");
const bundle: ConsoleBundle = {
  files: [{ path: "assets/main-1.js", type: "text/javascript", encoding: "identity", bytes }],
  style: "assets/style-1.css",
  starts: {
    en: { script: "assets/main-1.js", preload: [] },
    es: { script: "assets/main-1.js", preload: [] },
  },
};

const access: Access = {
  exposed: true,
  allowedHosts: ["console.example"],
  guard: "api_token",
  openPaths: [],
};

const app = createConsoleApp(depsOf(new FakeClock()), "daemon", access);

function depsOf(clock: FakeClock): ConsoleDeps {
  const target = {
    app: { routes: [] },
    access,
    enter: createFrontDoor(access),
    console: daemonService.console,
  };
  return {
    version: "0.0.0",
    clock,
    newId: () => "id",
    log: silentLogger,
    bundles: { latest: async () => bundle, current: async () => bundle },
    sessions: openSessionBook(clock, { read: () => [], write() {} }),
    links: createSessionLinks(clock),
    attempts: createTokenAttempts(clock),
    targets: new Map([["daemon", target]]) as unknown as ConsoleDeps["targets"],
    secure: false,
    apiToken: undefined,
    operatorToken: undefined,
    adminToken: undefined,
    registration: false,
    ownerSession: undefined,
    members: undefined,
    url: () => "http://localhost:8000",
  };
}

const network = { peer: "network" } as const;

async function ask(path: string, method = "GET", headers: Record<string, string> = {}) {
  const request = new Request(`http://localhost:8000${path}`, {
    method,
    headers: { host: "localhost:8000", ...headers },
  });
  const answer = await (path.startsWith("/console/")
    ? app.handle(request, network, path)
    : app.page(request, network));
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text };
}

const errorOf = ({ status, text }: { status: number; text: string }) => [status, JSON.parse(text).error];

describe("the console's paths", () => {
  test("pages and files need no credential, also where the service does", async () => {
    expect((await ask("/studio")).status).toBe(200);
    expect((await ask("/studio", "HEAD")).status).toBe(200);
    const file = await ask("/console/assets/main-1.js");
    expect([file.status, file.text]).toEqual([200, "console.log(1)"]);
    expect((await ask("/studio", "GET", { host: "console.example" })).status).toBe(200);
  });

  test("a file with another method than GET and HEAD is 405", async () => {
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      const answer = await ask("/console/assets/main-1.js", method);
      expect(errorOf(answer)).toEqual([405, "method_not_allowed"]);
      expect(answer.headers.get("allow")).toBe("GET, HEAD");
    }
  });

  test("what isn't there is 404, as JSON", async () => {
    for (const path of ["/console/assets/nope.js", "/console/assets/", "/console/nothing", "/console/"]) {
      expect(errorOf(await ask(path))).toEqual([404, "not_found"]);
    }
  });

  test("a session is read, created and deleted; other methods are 405", async () => {
    for (const method of ["PUT", "PATCH"]) {
      const answer = await ask("/console/session", method);
      expect(errorOf(answer)).toEqual([405, "method_not_allowed"]);
      expect(answer.headers.get("allow")).toBe("DELETE, GET, HEAD, OPTIONS, POST");
    }
  });

  test.each([
    ["[]"],
    ['{"link": 1}'],
    ['{"link": "a", "token": "b"}'],
    ['{"email": "a@b.co"}'],
    ['{"visitor": true}'],
    ["{"],
  ])("a session with %s is 400", async (body) => {
    const request = new Request("http://localhost:8000/console/session", {
      method: "POST",
      headers: { host: "localhost:8000", "content-type": "application/json" },
      body,
    });
    const answer = await app.handle(request, network, "/console/session");
    expect([answer.status, (await answer.json()).error]).toEqual([400, "invalid_request"]);
  });

  test("a host name that is not the service's is 421 on every path", async () => {
    const headers = { host: "evil.example" };
    for (const path of [
      "/studio",
      "/console/assets/main-1.js",
      "/console/session",
      "/console/api/daemon/v1/x",
    ]) {
      expect(errorOf(await ask(path, "GET", headers))).toEqual([421, "misdirected"]);
    }
  });
});
