import { expect, test } from "bun:test";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../src/kit/app-error.ts";
import { findModelFile } from "../../src/onnx/model-file.ts";
import corpus from "../corpora/path_traversal.json" with { type: "json" };
import { temporaryFolder } from "../support/temp-folder.ts";

function codeOf(work: () => unknown): string {
  try {
    work();
    return "found";
  } catch (thrown) {
    return thrown instanceof AppError ? thrown.code : `not ours: ${thrown}`;
  }
}

/** The corpus's `/data/allowed` with a model, and forbidden files next to it. */
function stagedFolder() {
  const folder = temporaryFolder();
  const allowed = join(folder.path, "allowed");
  mkdirSync(join(allowed, "sub"), { recursive: true });
  mkdirSync(join(folder.path, "allowed-evil"));
  for (const name of ["allowed/a.txt", "allowed/é.txt", "allowed/-rf", "allowed-evil/a.txt", "secret.txt"]) {
    writeFileSync(join(folder.path, name), "x");
  }
  return {
    allowed,
    place: (path: string) => path.replaceAll("/data", folder.path),
    [Symbol.dispose]: folder[Symbol.dispose],
  };
}

const spellings = corpus.entries.flatMap(({ id, input, expected, why }) => {
  const { path, allowed_paths: roots, setup, op } = input as Record<string, unknown>;
  const isOurs = typeof path === "string" && !setup && !op && JSON.stringify(roots) === '["/data/allowed"]';
  // A relative path is relative to the folder here.
  return isOurs && id !== "path_traversal-019"
    ? [[id, why ?? "", String(path), String(expected)] as const]
    : [];
});

test.each(spellings)("%s: %s", (id, _why, path, expected) => {
  using staged = stagedFolder();
  const outcome = codeOf(() => findModelFile(staged.allowed, staged.place(path)));
  // For a missing file, both codes are right.
  if (expected === "reject") expect(["path_refused", "model_not_found"]).toContain(outcome);
  else expect(["found", "model_not_found"]).toContain(outcome);
  if (
    /allowed-evil|allowedx|secret|passwd|environ|docker|\/dev\/|\/proc\//.test(path) &&
    !/%|․|．/.test(path)
  ) {
    expect(outcome).toBe("path_refused");
  }
  if (id === "path_traversal-001" || id === "path_traversal-003") expect(outcome).toBe("found");
});

test("the corpus has cases for this folder", () => {
  expect(spellings.length).toBeGreaterThan(25);
});

test.each([
  ["a folder out", "link", "/etc", "link/passwd"],
  ["a file out", "f", "/etc/passwd", "f"],
  ["a relative file out", "f", "../secret.txt", "f"],
])("a link to %s is refused", (_, name, target, path) => {
  using staged = stagedFolder();
  symlinkSync(target, join(staged.allowed, name));
  expect(codeOf(() => findModelFile(staged.allowed, path))).toBe("path_refused");
});

test("links that end below the folder are followed, as is a folder that is a link itself", () => {
  using staged = stagedFolder();
  symlinkSync("a.txt", join(staged.allowed, "inner"));
  symlinkSync(staged.allowed, `${staged.allowed}-link`);
  const file = findModelFile(`${staged.allowed}-link`, "inner");
  expect(file).toMatchObject({ name: "inner", path: realpathSync(join(staged.allowed, "a.txt")), bytes: 1 });
});

test.each([
  ["a folder", "sub"],
  ["nothing", "missing.onnx"],
  ["a file as a folder", "a.txt/model.onnx"],
  ["a name too long for any file", `${"a".repeat(300)}.onnx`],
])("%s is not found", (_, path) => {
  using staged = stagedFolder();
  expect(codeOf(() => findModelFile(staged.allowed, path))).toBe("model_not_found");
});

test("without the folder nothing is found", () => {
  expect(codeOf(() => findModelFile("/nowhere/models", "a.onnx"))).toBe("model_not_found");
});

test("the stamp changes with the file", () => {
  using staged = stagedFolder();
  const before = findModelFile(staged.allowed, "a.txt").stamp;
  expect(findModelFile(staged.allowed, "a.txt").stamp).toBe(before);
  writeFileSync(join(staged.allowed, "a.txt"), "y");
  expect(findModelFile(staged.allowed, "a.txt").stamp).not.toBe(before);
});
