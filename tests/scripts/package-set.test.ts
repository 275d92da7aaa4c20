import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
// @ts-expect-error: a plain script, which runs before TypeScript is there.
import { packageSet } from "../../scripts/installing/package-set.mjs";

const linux = { os: "linux", cpu: "x64", libc: "glibc" };

const manifest = {
  name: "sample",
  version: "1.0.0",
  dependencies: { server: "1.0.0" },
  optionalDependencies: { engine: "3.0.0" },
  devDependencies: { bun: "9.0.0", checker: "1.0.0", client: "5.0.0" },
  overrides: { engine: { client: "$client" } },
};

const lock = {
  lockfileVersion: 3,
  packages: {
    "": {},
    "node_modules/server": {
      version: "1.0.0",
      dependencies: { shared: "^1.0.0" },
      peerDependencies: { peer: "1", checker: "1" },
      peerDependenciesMeta: { checker: { optional: true } },
    },
    "node_modules/server/node_modules/shared": { version: "1.5.0" },
    "node_modules/shared": { version: "2.0.0", dev: true },
    "node_modules/peer": { version: "1.0.0", dependencies: { shared: "^2.0.0" } },
    "node_modules/checker": { version: "1.0.0", dev: true },
    "node_modules/client": { version: "5.0.0", devOptional: true },
    "node_modules/engine": {
      version: "3.0.0",
      optional: true,
      optionalDependencies: { "engine-linux": "3.0.0", "engine-musl": "3.0.0", "engine-darwin": "3.0.0" },
    },
    "node_modules/engine-linux": {
      version: "3.0.0",
      optional: true,
      os: ["linux"],
      cpu: ["x64"],
      libc: ["glibc"],
    },
    "node_modules/engine-musl": { version: "3.0.0", optional: true, os: ["linux"], libc: ["musl"] },
    "node_modules/engine-darwin": { version: "3.0.0", optional: true, os: ["darwin"] },
    "node_modules/bun": { version: "9.0.0", dev: true },
  },
};

const pathsOf = (set: string, machine: object = linux) =>
  Object.keys(packageSet(manifest, lock, set, machine).lock.packages).filter((path) => path !== "");

test("running takes its dependencies, their own versions and their needed peers", () => {
  expect(pathsOf("run")).toEqual([
    "node_modules/peer",
    "node_modules/server",
    "node_modules/server/node_modules/shared",
    "node_modules/shared",
  ]);
});

test.each([
  ["linux with glibc", linux, ["engine", "engine-linux"]],
  ["linux with musl", { ...linux, libc: "musl" }, ["engine", "engine-musl"]],
  ["macOS", { os: "darwin", cpu: "arm64", libc: undefined }, ["engine", "engine-darwin"]],
])("the engines of %s are its own builds alone", (_, machine, names) => {
  const added = pathsOf("engines", machine).filter((path) => !pathsOf("run", machine).includes(path));
  expect(added).toEqual(names.map((name) => `node_modules/${name}`));
});

test("each set has all of the one before, and Bun is a set of its own", () => {
  expect(pathsOf("bun")).toEqual(["node_modules/bun"]);
  expect(pathsOf("engines")).toEqual(expect.arrayContaining(pathsOf("run")));
  const all = pathsOf("all");
  expect(all).toEqual(expect.arrayContaining([...pathsOf("engines"), "node_modules/checker"]));
  expect(all).not.toContain("node_modules/bun");
});

test("an override keeps its version where the set lacks the package that it refers to", () => {
  expect(packageSet(manifest, lock, "run", linux).manifest.overrides).toEqual({
    engine: { client: "5.0.0" },
  });
});

test("a package that the lockfile lacks is an error that names it", () => {
  const asked = { ...manifest, dependencies: { server: "1.0.0", absent: "1.0.0" } };
  expect(() => packageSet(asked, lock, "run", linux)).toThrow(
    "package-lock.json has no absent for package.json",
  );
});

const root = join(import.meta.dir, "../..");
const own = (name: string) => JSON.parse(readFileSync(join(root, name), "utf8"));

test("serving installs neither test tools nor what it loads at the first use", () => {
  const { packages } = packageSet(own("package.json"), own("package-lock.json"), "run", linux).lock;
  const names = Object.keys(packages).map((path) => path.slice(path.lastIndexOf("node_modules/") + 13));
  const left = ["@lancedb/lancedb", "onnxruntime-web", "openai", "typescript", "playwright-core", "bun"];
  for (const name of left) expect(names).not.toContain(name);
  for (const name of ["elysia", "react", "minijinja-js"]) expect(names).toContain(name);
});

test("each set of this project resolves on each system that Bun and LanceDB have a build for", () => {
  for (const machine of [linux, { os: "darwin", cpu: "arm64" }, { os: "linux", cpu: "arm64", libc: "musl" }])
    for (const set of ["bun", "run", "engines", "all"]) {
      const { packages } = packageSet(own("package.json"), own("package-lock.json"), set, machine).lock;
      expect(Object.keys(packages).length).toBeGreaterThan(set === "bun" ? 2 : 100);
    }
});
