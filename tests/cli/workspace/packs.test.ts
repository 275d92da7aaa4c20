import { expect, test } from "bun:test";
import { daemonParts, say } from "../recording-shell.ts";

const found = {
  agent: "desk",
  files: ["agents/desk.agent.yaml", "tools/stock.ts"],
  programs: ["tools/stock.ts"],
  variables: ["DESK_KEY"],
  left_out: [{ path: "collection other", reason: "documents without a pipeline are not packed" }],
  signed: false,
};

test("pack writes <agent>.pack.json, and says what was left out and which variables it needs", async () => {
  const asked: object[] = [];
  const parts = {
    ...daemonParts({}),
    packAgent: async (request: { file: string }) => {
      asked.push(request);
      return { ...found, file: request.file };
    },
  };
  const { stderr, code } = await say(["pack", "desk", "--with", "a/b.json", "--force"], { parts });
  expect(code).toBe(0);
  expect(stderr).toContain("left out");
  expect(stderr).toContain("DESK_KEY");
  expect(asked).toMatchObject([
    { agent: "desk", file: expect.stringMatching(/desk\.pack\.json$/), more: ["a/b.json"], force: true },
  ]);
});

const unpacking = (trusted: boolean) => {
  const written: object[] = [];
  const parts = {
    ...daemonParts({}),
    openPack: async () => found,
    workspaceTrust: async (workspace: string) => ({ workspace, trusted, programs: [] }),
    unpackAgent: async (request: object) => {
      written.push(request);
      return found.files;
    },
  };
  return { parts, written };
};

test("programs are not written into a workspace that is trusted, unless the pack is too", async () => {
  const { parts, written } = unpacking(true);
  const refused = await say(["unpack", "desk.pack.json", "--json"], { parts });
  expect(refused.code).not.toBe(0);
  expect(JSON.stringify(refused)).toContain("pack_untrusted");
  expect(written).toEqual([]);
  expect((await say(["unpack", "desk.pack.json", "--trust"], { parts })).code).toBe(0);
  expect(written).toHaveLength(1);
});

test("a workspace that is not trusted gets the files, and its programs wait for its trust", async () => {
  const { parts, written } = unpacking(false);
  const { stderr } = await say(["unpack", "desk.pack.json", "there"], { parts });
  expect(stderr).toContain("It is not signed.");
  expect(written).toMatchObject([{ workspace: expect.stringMatching(/there$/), force: false }]);
});

test("--check writes nothing", async () => {
  const { parts, written } = unpacking(true);
  expect((await say(["unpack", "desk.pack.json", "--check"], { parts })).code).toBe(0);
  expect(written).toEqual([]);
});
