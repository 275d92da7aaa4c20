import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { InstallUser } from "../../../src/command/install/install-place.ts";
import {
  installService,
  serviceStatus,
  uninstallService,
} from "../../../src/command/service/manage-service.ts";
import { type Ended, printingManager, serviceManager } from "../../../src/command/service/service-manager.ts";
import type { ServiceSpec } from "../../../src/command/service/systemd-unit.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

const userOn = (platform: NodeJS.Platform, isRoot = false): InstallUser => ({
  platform,
  isRoot,
  home: folder.path,
  name: "ada",
  variable: () => undefined,
});

const spec: ServiceSpec = {
  executable: "/usr/local/bin/argosy",
  workspace: "/srv/argosy",
  dataFolder: "/var/lib/argosy",
  environmentFile: "/etc/argosy/environment",
  account: "argosy",
};

/** A manager that records its commands; a command that contains `failing` fails. */
function runner(failing?: string, stdout = "") {
  const commands: string[] = [];
  const run = async (command: readonly string[]): Promise<Ended> => {
    commands.push(command.join(" "));
    const fails = failing !== undefined && command.includes(failing);
    return { code: fails ? 1 : 0, stdout, stderr: fails ? "Failed to connect to bus" : "" };
  };
  return { commands, run };
}

describe("a user service of systemd", () => {
  const manager = () => serviceManager(userOn("linux"), 1000, true);

  test("is written, enabled and started, with a file of variables for its owner only", async () => {
    const { commands, run } = runner();
    const installed = await installService(manager(), { ...spec, account: undefined }, run, { force: false });
    expect(commands).toEqual([
      "systemctl --user daemon-reload",
      "systemctl --user enable argosy.service",
      "systemctl --user start argosy.service",
    ]);
    expect(installed).toMatchObject({
      is_new: true,
      file: join(folder.path, ".config/systemd/user/argosy.service"),
    });
    expect(statSync(installed.environment_file).mode & 0o777).toBe(0o600);
    const unit = readFileSync(installed.file, "utf8");
    expect(unit).toContain("WantedBy=default.target");
    expect(unit).not.toMatch(/^(User|ProtectSystem|PrivateTmp)=/m);
  });

  test("installing again restarts it and keeps the variables", async () => {
    const { commands, run } = runner();
    const { environment_file } = await installService(manager(), spec, run, { force: false });
    writeFileSync(environment_file, "OPENAI_API_KEY=mine\n");
    const { is_new } = await installService(manager(), spec, run, { force: false });
    expect([is_new, commands.at(-1)]).toEqual([false, "systemctl --user restart argosy.service"]);
    expect(readFileSync(environment_file, "utf8")).toBe("OPENAI_API_KEY=mine\n");
  });

  test("a unit that a person wrote is kept without --force, and never uninstalled", async () => {
    const { commands, run } = runner();
    const { file } = manager();
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "[Unit]\n");
    await expect(installService(manager(), spec, run, { force: false })).rejects.toMatchObject({
      code: "service_file_taken",
    });
    await expect(uninstallService(manager(), run)).rejects.toMatchObject({ code: "service_file_taken" });
    expect([commands, readFileSync(file, "utf8")]).toEqual([[], "[Unit]\n"]);
  });

  test("a new unit that systemd refuses is removed, and the error has systemd's words", async () => {
    const { commands, run } = runner("start");
    await expect(installService(manager(), spec, run, { force: false })).rejects.toMatchObject({
      code: "service_manager_failed",
      message: "systemctl --user start argosy.service: Failed to connect to bus",
    });
    expect(existsSync(manager().file)).toBe(false);
    expect(commands.at(-1)).toBe("systemctl --user daemon-reload");
  });

  test("a changed unit that systemd refuses leaves the one before it", async () => {
    await installService(manager(), spec, runner().run, { force: false });
    const before = readFileSync(manager().file, "utf8");
    const { run } = runner("restart");
    const changed = { ...spec, workspace: "/elsewhere" };
    await expect(installService(manager(), changed, run, { force: false })).rejects.toThrow();
    expect(readFileSync(manager().file, "utf8")).toBe(before);
  });

  test("uninstalling stops it first", async () => {
    const { commands, run } = runner();
    await installService(manager(), spec, run, { force: false });
    commands.length = 0;
    expect(await uninstallService(manager(), run)).toEqual({ removed: manager().file });
    expect(commands).toEqual([
      "systemctl --user disable --now argosy.service",
      "systemctl --user daemon-reload",
    ]);
    expect(existsSync(manager().file)).toBe(false);
    await expect(uninstallService(manager(), run)).rejects.toMatchObject({ code: "service_not_installed" });
  });

  test("its status is read from systemd", async () => {
    const { run } = runner(
      undefined,
      "MainPID=42\nActiveState=active\nSubState=running\nUnitFileState=enabled\n",
    );
    expect(await serviceStatus(manager(), run)).toMatchObject({ installed: false, running: false });
    await installService(manager(), spec, run, { force: false });
    expect(await serviceStatus(manager(), run)).toEqual({
      installed: true,
      running: true,
      enabled: true,
      state: "active (running)",
      pid: 42,
    });
    const failed = runner(
      undefined,
      "MainPID=0\nActiveState=failed\nSubState=failed\nUnitFileState=disabled\n",
    );
    expect(await serviceStatus(manager(), failed.run)).toMatchObject({
      running: false,
      enabled: false,
      pid: null,
    });
  });
});

describe("the system unit", () => {
  const unitOf = (more: Partial<ServiceSpec>) =>
    printingManager(userOn("linux", true), 0).render({ ...spec, ...more });
  const verify = (text: string) => {
    const file = join(folder.path, "argosy.service");
    writeFileSync(
      file,
      text.replaceAll("/usr/local/bin/argosy", "/bin/true").replace("User=argosy", "User=root"),
    );
    const { stderr, exitCode } = Bun.spawnSync(["systemd-analyze", "verify", file]);
    return [exitCode, stderr.toString()];
  };
  const directives = (text: string) => text.split("\n").filter((line) => /^[A-Z]\w+=/.test(line));

  test("has every protection of deploy/argosy.service", () => {
    const shipped = readFileSync(join(import.meta.dir, "../../../deploy/argosy.service"), "utf8");
    const placed = /^(Group|ReadWritePaths|EnvironmentFile|Environment|StateDirectory\w*|Description)=/;
    const missing = directives(shipped).filter(
      (line) => !placed.test(line) && !directives(unitOf({})).includes(line),
    );
    expect(missing).toEqual([]);
  });

  test("a service in a home keeps the home readable", () => {
    expect(unitOf({ workspace: "/home/ada/desk" })).toContain("ProtectHome=read-only");
    expect(unitOf({ workspace: "/root" })).toContain("ProtectHome=read-only");
    expect(unitOf({ workspace: "/homestead" })).toContain("ProtectHome=yes");
  });

  test("a path with a line break cannot add a directive", () => {
    expect(() => unitOf({ workspace: "/srv/a\nExecStartPre=/bin/evil" })).toThrow(
      expect.objectContaining({ code: "unusable_path" }),
    );
  });

  const hasAnalyzer = Bun.which("systemd-analyze") !== null;
  const named = hasAnalyzer ? "" : " (systemd-analyze not installed)";
  test.skipIf(!hasAnalyzer).each([
    ["plain", {}],
    ["a space, a quote and a percent sign", { workspace: `/srv/my "desk" 100%`, dataFolder: "/var/lib/a b" }],
    ["a dollar sign in the program", { executable: "/bin/true", environmentFile: "/etc/a b/$environment" }],
  ])(`systemd accepts it with %s${named}`, (_name, more) => {
    expect(verify(unitOf(more))).toEqual([0, ""]);
  });
});

describe("launchd", () => {
  test("the property list is XML with the paths as they are", () => {
    const text = printingManager(userOn("darwin"), 501).render({ ...spec, workspace: "/Users/a & b/<desk>" });
    const strings = [...text.matchAll(/<string>(.*)<\/string>/g)].map(([, value]) => value);
    expect(strings).toContain("/Users/a &amp; b/&lt;desk&gt;");
    expect(text.match(/<(dict|array|string|key)>/g)?.length).toBe(
      text.match(/<\/(dict|array|string|key)>/g)?.length ?? 0,
    );
  });

  test("is loaded into the user's session, and reloaded when installed again", async () => {
    const manager = serviceManager(userOn("darwin"), 501);
    const { commands, run } = runner();
    await installService(manager, { ...spec, account: undefined }, run, { force: false });
    await installService(manager, { ...spec, account: undefined }, run, { force: false });
    const file = join(folder.path, "Library/LaunchAgents/dev.argosy.serve.plist");
    expect(commands).toEqual([
      `launchctl bootstrap gui/501 ${file}`,
      "launchctl bootout gui/501/dev.argosy.serve",
      `launchctl bootstrap gui/501 ${file}`,
    ]);
    const state = runner(undefined, "dev.argosy.serve = {\n\tstate = running\n\tpid = 77\n}");
    expect(await serviceStatus(manager, state.run)).toMatchObject({ running: true, pid: 77 });
  });
});

test.each<[string, NodeJS.Platform, boolean]>([
  ["Windows", "win32", false],
  ["FreeBSD", "freebsd", false],
  ["Linux without systemd", "linux", false],
])("%s is refused with advice", (_name, platform, booted) => {
  expect(() => serviceManager(userOn(platform), 1000, booted)).toThrow(
    expect.objectContaining({
      code: "no_service_manager",
      details: { hint: expect.stringContaining("serve") },
    }),
  );
});
