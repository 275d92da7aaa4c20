import { expect, test } from "bun:test";
import { runBackup } from "../../../../src/services/daemon/operations/backup-process.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

/** Runs a program in place of `argosy backup`, and returns how it ended and the last progress that it told. */
async function ran(program: string) {
  using folder = temporaryFolder();
  let progress: object | undefined;
  const { ended } = runBackup([process.execPath, "-e", program], folder.path, (done) => {
    progress = done;
  });
  return { error: await ended, progress };
}

const figures = { files: 1, of_files: 2, bytes: 3, of_bytes: 4 };

test("a backup reports its progress, between other messages", async () => {
  const program = `console.error("hello"); console.error('${JSON.stringify(figures)}'); console.log("{}")`;
  expect(await ran(program)).toEqual({ error: null, progress: figures });
});

test("a backup reports its warnings", async () => {
  using folder = temporaryFolder();
  const program = `console.log('{"warnings":["a is not in this backup."]}')`;
  const { ended, warnings } = runBackup([process.execPath, "-e", program], folder.path, () => {});
  expect([await ended, warnings()]).toEqual([null, ["a is not in this backup."]]);
});

test.each([
  ["its own refusal", `console.log('{"error":"no_space","message":"Full."}'); process.exit(1)`, "no_space"],
  ["no words", "process.exit(3)", "backup_ended"],
  ["a signal", `process.kill(process.pid, "SIGKILL")`, "backup_ended"],
  ["progress that can't be read", `console.error('{"files":'); setInterval(() => {}, 1000)`, "backup_ended"],
])("one that ends with %s gives its reason", async (_, program, code) => {
  const { error } = await ran(program);
  expect(error).toMatchObject({ error: code, message: expect.stringMatching(/\.$/) });
});
