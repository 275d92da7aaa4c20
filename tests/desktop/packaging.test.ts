import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { YAML } from "bun";
import { buildApp } from "../../desktop/build.ts";
import { type PackagingSettings, packagingConfig } from "../../desktop/packaging-config.ts";
import { program } from "../../desktop/src/program.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const desktop = join(import.meta.dir, "../../desktop");
const read = (path: string) => readFileSync(path, "utf8");
const settings = YAML.parse(read(join(desktop, "electron-builder.yml"))) as PackagingSettings &
  Record<string, unknown>;
const manifest = JSON.parse(read(join(desktop, "package.json")));
const schemaFile = join(import.meta.dir, "fixtures/electron-builder.schema.json");
const validate = new Ajv({ strict: false, allErrors: true }).compile(JSON.parse(read(schemaFile)));
const contacts = { ARGOSY_HOMEPAGE: "https://example.org", ARGOSY_MAINTAINER: "Jo Doe <jo@example.org>" };

test("electron-builder's schema is that of the version in use", () => {
  expect(JSON.parse(read(schemaFile)).$comment).toContain(
    ` ${manifest.devDependencies["electron-builder"]} `,
  );
});

test("the settings are valid by electron-builder's schema, which refuses unknown keys", () => {
  validate(settings);
  expect(validate.errors ?? []).toEqual([]);
  expect(validate({ ...settings, electronFuse: {} })).toBe(false);
  expect(validate({ ...settings, nsis: { oneClik: true } })).toBe(false);
});

test.each([{}, { ARGOSY_UPDATE_URL: "https://updates.example.org/argosy" }])(
  "the settings with the distributor's addresses are valid as well: %j",
  (more) => {
    const config = packagingConfig(settings, { os: "mac", arch: "arm64" }, { ...contacts, ...more });
    validate(config);
    expect(validate.errors ?? []).toEqual([]);
    expect(config.publish).toEqual(
      more.ARGOSY_UPDATE_URL === undefined
        ? null
        : { provider: "generic", url: `${more.ARGOSY_UPDATE_URL}/mac-arm64` },
    );
  },
);

test.each([
  [{ ...contacts, ARGOSY_HOMEPAGE: "" }, "ARGOSY_HOMEPAGE must be an https:// address"],
  [{ ...contacts, ARGOSY_UPDATE_URL: "http://updates.example.org" }, 'got "http://updates.example.org"'],
  [{ ...contacts, ARGOSY_MAINTAINER: "Jo" }, 'got "Jo"'],
])("%j is refused", (environment, message) => {
  expect(() => packagingConfig(settings, { os: "linux", arch: "x64" }, environment)).toThrow(message);
});

test("packages are built for every system, with the link scheme and the server outside the archive", () => {
  expect(settings).toMatchObject({
    linux: { target: ["AppImage", "deb"] },
    mac: { target: ["dmg", "zip"] },
    protocols: [{ schemes: ["argosy"] }],
    extraResources: [{ to: "bin" }, { to: "LICENSE" }, { to: "apparmor" }],
    win: { target: ["nsis"], executableName: "argosy-desktop" },
  });
});

test("fuses: no Node without the app, no inspector, only the checked archive, encrypted cookies", () => {
  expect(settings.electronFuses).toEqual({
    runAsNode: false,
    enableCookieEncryption: true,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    loadBrowserProcessSpecificV8Snapshot: false,
    grantFileProtocolExtraPrivileges: false,
  });
});

test("every file that the settings name exists", () => {
  for (const { icon, entitlements } of [settings.linux, settings.mac, settings.win] as {
    icon: string;
    entitlements?: string;
  }[])
    for (const path of [icon, entitlements ?? icon]) expect(existsSync(join(desktop, path))).toBe(true);
});

test("the build keeps its own folder at run time, and the page's script is CommonJS without the app", async () => {
  using folder = temporaryFolder();
  const dist = join(folder.path, "dist");
  await buildApp(dist);
  expect(readdirSync(dist).sort()).toEqual([
    "icon.png",
    "main.mjs",
    "preload.cjs",
    "tray.png",
    "trayTemplate.png",
    "trayTemplate@2x.png",
  ]);
  const main = read(join(dist, "main.mjs"));
  expect(main).toContain("import.meta.dirname");
  expect(main).not.toContain(desktop);
  const preload = read(join(dist, "preload.cjs"));
  expect(preload).toContain('require("electron")');
  expect(preload).not.toContain("child_process");
  expect(preload).not.toMatch(/^(import|export) /m);
});

test("a package runs its own executable and ignores ARGOSY_PROGRAM", () => {
  const parts = { resourcesPath: "/opt/argosy/resources", environment: { ARGOSY_PROGRAM: "/tmp/evil" } };
  expect(program({ ...parts, isPackaged: true, platform: "linux" })).toEqual([
    "/opt/argosy/resources/bin/argosy",
  ]);
  expect(program({ ...parts, isPackaged: true, platform: "win32" })[0]).toEndWith("argosy.exe");
  expect(program({ ...parts, isPackaged: false, platform: "linux" })).toEqual(["/tmp/evil"]);
});

test("the project's own install has no package of the desktop app", () => {
  const lock = JSON.parse(read(join(desktop, "../package-lock.json")));
  const names = Object.keys(lock.packages).filter((name) =>
    /node_modules\/(electron|app-builder)/.test(name),
  );
  expect(names.filter((name) => !name.includes("electron-to-chromium"))).toEqual([]);
});
