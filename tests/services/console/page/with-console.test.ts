import { describe, expect, test } from "bun:test";
import { daemonService } from "../../../../src/compose/daemon/service.ts";
import { platformService } from "../../../../src/compose/platform/service.ts";
import type { ServiceApp } from "../../../../src/http/service-app.ts";
import type { ConsoleApp } from "../../../../src/services/console/app.ts";
import { withConsole, withConsoleLinks } from "../../../../src/services/console/page/with-console.ts";

const app: ServiceApp = {
  name: "sample",
  routes: () => [],
  prepare() {},
  handle: () => new Response("service"),
  fail: () => new Response("failed"),
};

const shown: ConsoleApp = {
  page: async () => new Response("page"),
  handle: (_, __, path) => new Response(`console ${path}`),
};

const rules = { daemon: daemonService.console, platform: platformService.console };

const network = { peer: "network" } as const;

async function who(home: "daemon" | "platform", path: string, method = "GET"): Promise<string> {
  const answer = await withConsole(app, shown, rules[home].page).handle(
    new Request(`http://localhost:8000${path}`, { method }),
    network,
  );
  return answer.text();
}

describe("on the daemon", () => {
  test.each([
    "/",
    "/?a=/v1",
    "/studio",
    "/studio/",
    "/studio/agents/helper?tab=1",
    "/platform",
    "/platform/x",
  ])("%s is a page", async (path) => {
    expect(await who("daemon", path)).toBe("page");
    expect(await who("daemon", path, "HEAD")).toBe("page");
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      expect(await who("daemon", path, method)).toBe("service");
    }
  });

  test.each([
    "/v1/agents",
    "/healthz",
    "/readyz",
    "/docs",
    "/mcp",
    "/studios",
    "/platforms",
    "/gateways",
    "/consol",
  ])("%s is the service's", async (path) => expect(await who("daemon", path)).toBe("service"));
});

describe("on the platform", () => {
  test.each(["/", "/tenants", "/studio", "/anything/at/all", "/apis", "/authors", "/docsx"])(
    "%s is a page",
    async (path) => {
      expect(await who("platform", path)).toBe("page");
      expect(await who("platform", path, "POST")).toBe("service");
    },
  );

  test.each([
    "/api",
    "/api/v1/me",
    "/auth/login",
    "/control/operators",
    "/healthz",
    "/healthz/",
    "/readyz",
    "/docs",
    "/docs/style.css",
    "/openapi.json",
    "/console",
  ])("%s is the service's", async (path) => expect(await who("platform", path)).toBe("service"));
});

test("everything under /console/ is the console's, with every method", async () => {
  for (const home of ["daemon", "platform"] as const) {
    for (const method of ["GET", "POST", "DELETE", "OPTIONS"]) {
      expect(await who(home, "/console/session?x=1", method)).toBe("console /console/session");
    }
  }
});

test("a URL that couldn't be built is the service's to refuse", async () => {
  const broken = { url: "/studio", method: "GET" } as Request;
  const answer = await withConsole(app, shown, rules.platform.page).handle(broken, network);
  expect(await answer.text()).toBe("service");
});

test("the control socket has links and no page", async () => {
  const control = withConsoleLinks(app, shown);
  const ask = async (path: string) =>
    (await control.handle(new Request(`http://localhost${path}`), { peer: "control" })).text();
  expect(await ask("/console/links")).toBe("console /console/links");
  for (const path of ["/", "/studio", "/console/session", "/v1/agents"])
    expect(await ask(path)).toBe("service");
});
