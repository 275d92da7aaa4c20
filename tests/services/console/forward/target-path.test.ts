import { describe, expect, test } from "bun:test";
import { daemonService } from "../../../../src/compose/daemon/service.ts";
import { platformService } from "../../../../src/compose/platform/service.ts";
import { requireOpenPath, targetPath } from "../../../../src/services/console/forward/target-path.ts";
import { refusal } from "../../../support/refusal.ts";

const api = "/console/api";
const rules = { daemon: daemonService.console, platform: platformService.console };

test("a path is split, and its escapes stay", () => {
  expect(targetPath(`${api}/daemon/v1/agents/a%2Fb%20c`)).toEqual({
    service: "daemon",
    path: "/v1/agents/a%2Fb%20c",
    plain: "/v1/agents/a/b c",
  });
  expect(targetPath(`${api}/platform/`)).toEqual({ service: "platform", path: "/", plain: "/" });
});

/** A server may have normalized such paths before; the code does not rely on it. */
test.each([
  "",
  "/",
  "/daemon",
  "//v1/agents",
  "/daemon/x/../v1/agents",
  "/daemon/x/%2e%2E/v1/agents",
  "/daemon/x/.%2e/v1/agents",
  "/daemon/./v1/agents",
  "/daemon/x%2f..%2fv1",
  "/daemon/x%5c..%5cv1",
  "/daemon/x\\..\\v1",
  "/daemon/..",
])("%s could be read in two ways", async (path) => {
  expect((await refusal(() => targetPath(api + path))).code).toBe("not_found");
});

describe("closed to pages", () => {
  test.each([
    ["daemon", "/v1/internal"],
    ["daemon", "/v1/internal/agents"],
    ["daemon", "/v1/%69nternal/agents"],
    ["daemon", "/V1/INTERNAL/agents"],
    ["daemon", "/control/x"],
    ["daemon", "/console/session"],
    ["platform", "/auth/login"],
    ["platform", "/%61uth/refresh"],
    ["platform", "/auth"],
    ["platform", "/control/owner-session"],
    ["platform", "/console/links"],
  ] as const)("%s %s", async (service, path) => {
    const found = targetPath(`${api}/${service}${path}`);
    expect((await refusal(() => requireOpenPath(rules[service], found))).code).toBe("not_found");
  });

  test("nothing else is", () => {
    for (const path of ["/v1/internals", "/v1/agents", "/authors", "/controls/x", "/docs"]) {
      requireOpenPath(rules.daemon, targetPath(`${api}/daemon${path}`));
      requireOpenPath(rules.platform, targetPath(`${api}/platform${path}`));
    }
  });
});
