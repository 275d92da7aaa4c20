import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inflateSync } from "node:zlib";
import {
  machineOf,
  type PackagingTarget,
  packagingTarget,
  requireServer,
  serverPath,
  targeted,
} from "../../desktop/packaging-target.ts";
import { trayIcon, userDataFolder } from "../../desktop/src/program.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const host = { platform: "linux", arch: "x64" };

test.each([
  [[], { os: "linux", arch: "x64" }, ["--linux", "--x64"]],
  [["--mac", "--arm64"], { os: "mac", arch: "arm64" }, ["--mac", "--arm64"]],
  [["-w"], { os: "win", arch: "x64" }, ["-w", "--x64"]],
  [["--linux", "deb"], { os: "linux", arch: "x64" }, ["--linux", "deb", "--x64"]],
] as [string[], PackagingTarget, string[]][])("%j packages for %j", (args, target, passed) => {
  expect(packagingTarget(args, host)).toEqual(target);
  expect(targeted(args, target)).toEqual(passed);
});

test.each([
  [["--linux", "--mac"], "one system and one architecture"],
  [["--x64", "--arm64"], "one system and one architecture"],
  [["--universal"], "no package for linux universal"],
  [["--win", "--ia32"], "no package for win ia32"],
])("%j is refused", (args, message) => {
  expect(() => packagingTarget(args, host)).toThrow(message);
});

/** The header of an executable for a system. */
function header(os: string, arch: string): Buffer {
  const head = Buffer.alloc(256);
  if (os === "linux") {
    head.writeUInt32BE(0x7f454c46);
    head.writeUInt16LE(arch === "x64" ? 0x3e : 0xb7, 18);
  } else if (os === "mac") {
    head.writeUInt32LE(0xfeedfacf);
    head.writeUInt32LE(arch === "x64" ? 0x01000007 : 0x0100000c, 4);
  } else {
    head.write("MZ");
    head.writeUInt32LE(128, 60);
    head.write("PE\0\0", 128);
    head.writeUInt16LE(arch === "x64" ? 0x8664 : 0xaa64, 132);
  }
  return head;
}

const targets = ["linux", "mac", "win"].flatMap((os) =>
  ["x64", "arm64"].map((arch) => ({ os, arch }) as PackagingTarget),
);

test.each(targets)("a package for %j needs a server for it, and takes no other", (target) => {
  using folder = temporaryFolder();
  expect(() => requireServer(folder.path, target)).toThrow("is missing: the package would have no server");
  const path = serverPath(folder.path, target);
  mkdirSync(dirname(path), { recursive: true });
  for (const made of targets) {
    writeFileSync(path, header(made.os, made.arch));
    if (made === target) requireServer(folder.path, target);
    else expect(() => requireServer(folder.path, target)).toThrow(`${path} is ${made.os}-${made.arch}`);
  }
  writeFileSync(path, "#!/bin/sh\n");
  expect(() => requireServer(folder.path, target)).toThrow("is not an executable");
});

test("the runtime of these tests is recognised", () => {
  const os = { linux: "linux", darwin: "mac", win32: "win" }[process.platform as "linux"];
  expect(machineOf(process.execPath)).toBe(`${os}-${process.arch}`);
});

test("on Windows no name differs from the command line's by case alone: folder, process, installation", () => {
  expect(userDataFolder("win32", "/data")).toBe(join("/data", "Argosy Desktop"));
  for (const platform of ["linux", "darwin"] as const)
    expect(userDataFolder(platform, "/data")).toBeUndefined();
  const desktop = join(import.meta.dir, "../../desktop");
  const { name } = JSON.parse(readFileSync(join(desktop, "package.json"), "utf8"));
  expect(name.toLowerCase()).not.toBe("argosy");
});

test("macOS gets a template for its bar: black, with the form in the transparency", () => {
  expect([trayIcon("darwin"), trayIcon("linux"), trayIcon("win32")]).toEqual([
    "trayTemplate.png",
    "tray.png",
    "tray.png",
  ]);
  for (const [name, size] of [
    ["trayTemplate.png", 16],
    ["trayTemplate@2x.png", 32],
  ] as const) {
    const bytes = readFileSync(join(import.meta.dir, "../../desktop/assets", name));
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20), bytes[25]]).toEqual([size, size, 6]);
    const at = bytes.indexOf("IDAT");
    const pixels = inflateSync(bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at - 4)));
    const colours = Array.from({ length: size * size }, (_, index) => {
      const place = Math.floor(index / size) * (size * 4 + 1) + 1 + (index % size) * 4;
      return pixels.subarray(place, place + 3).every((value: number) => value === 0);
    });
    expect(colours.every(Boolean)).toBe(true);
  }
});
