import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openConsoleLink } from "../../src/command/console-link.ts";
import { loadConfig } from "../../src/compose/load-config.ts";
import { startConsole } from "../support/console-server.ts";
import { refusal } from "../support/refusal.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

test("a link leads to the daemon's page, and to the platform's where that is alone", async () => {
  await using both = await startConsole();
  const link = await openConsoleLink(both.config);
  expect(link.url).toMatch(new RegExp(`^${both.url("daemon")}/#open=[\\w-]{43}$`));
  expect(Date.parse(link.expires_at) - both.clock.now().getTime()).toBe(600_000);

  const elsewhere = { runtimeUrl: "http://127.0.0.1:1" };
  await using alone = await startConsole({
    services: ["platform"],
    configure: (config) => ({
      ...config,
      runtimeToken: "runtime-token-of-at-least-32-bytes",
      platform: { ...config.platform, ...elsewhere },
    }),
  });
  const { url } = await openConsoleLink(alone.config);
  expect(url).toStartWith(`${alone.url("platform")}/#open=`);
  const { body } = await alone.browser("platform").begin({ link: url.split("#open=")[1] });
  expect(body).toMatchObject({ services: ["platform"], signed_in: { daemon: false, operator: true } });
});

test("without a server there is none", async () => {
  using folder = temporaryFolder();
  const error = await refusal(openConsoleLink(loadConfig({ workspace: folder.path })));
  expect([error.code, error.details.hint]).toEqual(["no_server", expect.stringContaining("argosy serve")]);
});

test("a server without its console issues no link, and its console pages are 404", async () => {
  await using argosy = await startConsole({ configure: (config) => ({ ...config, console: false }) });
  expect((await refusal(openConsoleLink(argosy.config))).code).toBe("console_off");
  for (const service of ["daemon", "platform"] as const) {
    for (const path of ["/", "/studio", "/console/session"]) {
      const { status, body } = await argosy.browser(service).call("GET", path);
      expect([status, body.error]).toEqual([404, "not_found"]);
    }
  }
});

test("the console is switched off by runtime.yaml", () => {
  using folder = temporaryFolder();
  expect(loadConfig({ workspace: folder.path }).console).toBe(true);
  writeFileSync(join(folder.path, "runtime.yaml"), "spec: {console: {enabled: false}}\n");
  expect(loadConfig({ workspace: folder.path }).console).toBe(false);
});
