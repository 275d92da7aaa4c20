import { expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { makePack } from "../../../src/command/pack/make-pack.ts";
import { unpack } from "../../../src/command/pack/open-pack.ts";
import {
  type Pack,
  packedFile,
  pathFault,
  programsIn,
  readPack,
  signPack,
} from "../../../src/command/pack/pack-file.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { writeFiles } from "../../support/write-files.ts";

const agent = (name: string, spec: object) =>
  JSON.stringify({ apiVersion: "platform/v1", kind: "Agent", metadata: { name }, spec });

const files = {
  "agents/desk.agent.yaml": agent("desk", {
    prompts: { system: `Key $${"{DESK_KEY}"}` },
    skills: ["refunds", { name: "own", description: "d", instructions: "i" }],
    knowledge: { pipeline: "faq" },
    tools: [
      { name: "clerk", type: "agent", config: { agent: "clerk" } },
      { name: "stock", type: "internal" },
      { name: "search", type: "rag", config: { collection: "other" } },
    ],
  }),
  "agents/clerk.agent.yaml": agent("clerk", {
    tools: [{ name: "desk", type: "agent", config: { agent: "desk" } }],
  }),
  "agents/stranger.agent.yaml": agent("stranger", {}),
  "skills/refunds/SKILL.md": "---\nname: refunds\ndescription: d\n---\nDo.",
  "skills/refunds/scripts/fee.ts": "export default {};",
  "skills/other/SKILL.md": "no",
  "tools/stock.ts": "export default {};",
  "rag/faq.rag.yaml": JSON.stringify({
    kind: "RAGPipeline",
    metadata: { name: "faq" },
    spec: { sources: [{ path: "faq/**/*.md" }, { path: "../outside/*" }] },
  }),
  "faq/returns.md": "Thirty days.\r\nÄ",
  "faq/.hidden.md": "no",
  "evals/desk.eval.yaml": JSON.stringify({
    kind: "Eval",
    metadata: { name: "desk" },
    spec: { agent: "desk", cases: "desk.jsonl" },
  }),
  "evals/desk.jsonl": "{}\n",
  "evals/stranger.eval.yaml": JSON.stringify({
    kind: "Eval",
    metadata: { name: "s" },
    spec: { agent: "stranger", cases: [] },
  }),
  "providers.yaml": "providers: {}",
  ".env": "DESK_KEY=x",
};

function workspace(more: Record<string, string> = {}) {
  const folder = temporaryFolder();
  writeFiles(folder.path, { ...files, ...more });
  return folder;
}

const pathsOf = (pack: Pack) => pack.files.map(({ path }) => path);

test("a pack has the agent, those it calls, and their prompts, skills, tools, evals, pipeline and documents", () => {
  using folder = workspace();
  const pack = makePack({ workspace: folder.path, agent: "desk" });
  expect(pathsOf(pack)).toEqual([
    "agents/clerk.agent.yaml",
    "agents/desk.agent.yaml",
    "evals/desk.eval.yaml",
    "evals/desk.jsonl",
    "faq/returns.md",
    "rag/faq.rag.yaml",
    "skills/refunds/SKILL.md",
    "skills/refunds/scripts/fee.ts",
    "tools/stock.ts",
  ]);
  expect(pack.variables).toEqual(["DESK_KEY"]);
  expect(pack.left_out.map(({ path }) => path)).toEqual(["collection other", "source ../outside/*"]);
  expect(programsIn(pack)).toEqual(["skills/refunds/scripts/fee.ts", "tools/stock.ts"]);
});

test("what is unpacked is the same, byte for byte, and packs again to the same", () => {
  using folder = workspace({ "cassettes/a.bin": "x" });
  using other = temporaryFolder();
  const pack = makePack({ workspace: folder.path, agent: "desk", more: ["cassettes/a.bin"] });
  const read = readPack(JSON.stringify(pack));
  expect(unpack(read, other.path, { force: false })).toEqual(pathsOf(pack));
  for (const path of pathsOf(pack))
    expect(readFileSync(join(other.path, path))).toEqual(readFileSync(join(folder.path, path)));
  expect(makePack({ workspace: other.path, agent: "desk", more: ["cassettes/a.bin"] })).toEqual(pack);
  // The second time, there is nothing to write.
  expect(unpack(read, other.path, { force: false })).toEqual([]);
});

test("a file with what looks like a secret is refused by its line, unless it was looked through", () => {
  const key = `sk-ant-api03-${"a1B2".repeat(20)}`;
  using folder = workspace({ "faq/keys.md": `First.\nUse ${key} here.` });
  expect(() => makePack({ workspace: folder.path, agent: "desk" })).toThrow("faq/keys.md:2");
  expect(pathsOf(makePack({ workspace: folder.path, agent: "desk", checked: ["faq/keys.md"] }))).toContain(
    "faq/keys.md",
  );
});

test.each([
  [["../outside.txt"], "hidden or dotted"],
  [["/etc/passwd"], "empty"],
  [[".env"], "hidden"],
  [["providers.yaml"], "is in no folder"],
  [["faq/none.md"], "can't be read"],
  [["faq"], "is in no folder"],
  [["faq/link.md"], "leads outside"],
])("the further files %j are refused", (more, message) => {
  using folder = workspace();
  symlinkSync("/etc/hostname", join(folder.path, "faq/link.md"));
  const agentOnly = agent("lone", {});
  writeFiles(folder.path, { "agents/lone.agent.yaml": agentOnly });
  expect(() => makePack({ workspace: folder.path, agent: "lone", more })).toThrow(message);
});

test("an agent that is in no file is 404", () => {
  using folder = workspace();
  expect(() => makePack({ workspace: folder.path, agent: "nobody" })).toThrow("No file in agents/");
});

const small = (path = "agents/a.agent.yaml", text = "a: 1"): Pack => ({
  format: "argosy-pack/1",
  agent: "a",
  variables: [],
  files: [packedFile(path, Buffer.from(text))],
  left_out: [],
});

test.each([
  "../x",
  "a/../../x",
  "/etc/x",
  "a//x",
  "a/./x",
  "C:/x",
  "a\\..\\x",
  "a/\u0000",
  "a/\nx",
  ".git/hooks/x",
  "a/.env",
  "a/x.",
  "a/x ",
  "runtime.yaml",
  "x",
  "",
  "tools/node_modules/x/index.js",
  `${"a/".repeat(17)}x`,
  "a/con:x",
])("the path %j is refused", (path) => {
  expect(pathFault(path)).toBeDefined();
  expect(() => readPack(JSON.stringify(small(path)))).toThrow("The pack can't be used");
});

test.each<[string, (pack: Pack) => unknown]>([
  ["another format", (pack) => ({ ...pack, format: "argosy-pack/2" })],
  ["an unknown key", (pack) => ({ ...pack, more: 1 })],
  ["no files", (pack) => ({ ...pack, files: [] })],
  ["a changed text", (pack) => ({ ...pack, files: [{ ...pack.files[0], text: "b" }] })],
  [
    "neither text nor base64",
    (pack) => ({ ...pack, files: [{ path: "a/b", sha256: pack.files[0]?.sha256 }] }),
  ],
  ["both", (pack) => ({ ...pack, files: [{ ...pack.files[0], base64: "" }] })],
  [
    "a path twice, but for its case",
    (pack) => ({ ...pack, files: [...pack.files, packedFile("Agents/A.agent.yaml", Buffer.from("x"))] }),
  ],
  [
    "a file below a file",
    (pack) => ({ ...pack, files: [...pack.files, packedFile("agents/a.agent.yaml/x", Buffer.from("x"))] }),
  ],
  ["a list", () => []],
  ["null", () => null],
])("a pack with %s is refused", (_, change) => {
  expect(() => readPack(JSON.stringify(change(small())))).toThrow("The pack can't be used");
});

test("a pack that is not JSON, or nested deeply, is refused", () => {
  expect(() => readPack("{")).toThrow("not JSON");
  expect(() => readPack(`${"[".repeat(100_000)}${"]".repeat(100_000)}`)).toThrow("The pack can't be used");
});

const keys = () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return {
    secret: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    open: publicKey.export({ type: "spki", format: "pem" }).toString(),
  };
};

test("a signature is checked, and must be of the wanted key", () => {
  const [own, other] = [keys(), keys()];
  const signed = signPack(small(), own.secret);
  expect(readPack(JSON.stringify(signed), own.open).agent).toBe("a");
  expect(() => readPack(JSON.stringify(signed), other.open)).toThrow("another key");
  expect(() => readPack(JSON.stringify(small()), own.open)).toThrow("not signed");
  const changed = { ...signed, files: [packedFile("agents/a.agent.yaml", Buffer.from("b"))] };
  expect(() => readPack(JSON.stringify(changed))).toThrow("signature is not valid");
  expect(() => readPack(JSON.stringify({ ...signed, agent: "b" }))).toThrow("signature is not valid");
  expect(() => readPack(JSON.stringify({ ...signed, signature: { public_key: "x", value: "" } }))).toThrow(
    "Ed25519",
  );
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  expect(() => signPack(small(), privateKey.export({ type: "pkcs8", format: "pem" }).toString())).toThrow(
    "Ed25519",
  );
});

test("files that are there with another content are kept unless forced, and then nothing else is written", () => {
  using folder = temporaryFolder();
  writeFiles(folder.path, { "agents/a.agent.yaml": "mine" });
  const pack = { ...small(), files: [...small().files, packedFile("skills/b/SKILL.md", Buffer.from("b"))] };
  expect(() => unpack(pack, folder.path, { force: false })).toThrow("agents/a.agent.yaml");
  expect(existsSync(join(folder.path, "skills"))).toBe(false);
  expect(unpack(pack, folder.path, { force: true })).toHaveLength(2);
  expect(readdirSync(join(folder.path, "agents"))).toEqual(["a.agent.yaml"]);
});

test("a link to outside of the workspace is not written through", () => {
  using folder = temporaryFolder();
  using outside = temporaryFolder();
  symlinkSync(outside.path, join(folder.path, "agents"));
  expect(() => unpack(small(), folder.path, { force: true })).toThrow("through a link");
  expect(readdirSync(outside.path)).toEqual([]);
});
