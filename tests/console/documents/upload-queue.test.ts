import { describe, expect, test } from "bun:test";
import {
  documentIdOf,
  hasEnded,
  type QueuedUpload,
  startable,
  stepUploads,
  type UploadStep,
} from "../../../src/console/documents/upload-queue.ts";
import { DocumentId } from "../../../src/contracts/daemon/rag/rag.ts";

const files = (...names: string[]): UploadStep => ({
  type: "added",
  files: names.map((name) => new File(["text"], name)),
});

const uploadsAfter = (...steps: UploadStep[]): readonly QueuedUpload[] =>
  steps.reduce<readonly QueuedUpload[]>(stepUploads, []);

const states = (uploads: readonly QueuedUpload[]) => uploads.map(({ id, state }) => `${id} ${state}`);

describe("uploads", () => {
  test("each file waits by its name, and is known for good", () => {
    const uploads = uploadsAfter(files("a.md", "b.md"), files("a.md"));
    expect(states(uploads)).toEqual(["a.md waiting", "b.md waiting", "a.md waiting"]);
    expect(new Set(uploads.map(({ key }) => key)).size).toBe(3);
  });

  test("so many are read at once", () => {
    const uploads = uploadsAfter(files("a", "b", "c"), { type: "moved", key: 1, state: "reading" });
    expect(startable(uploads, 2).map(({ id }) => id)).toEqual(["b"]);
    expect(startable(uploads, 1)).toEqual([]);
    expect(startable(uploadsAfter(files("a"), { type: "moved", key: 1, state: "done" }), 1)).toEqual([]);
  });

  test("what has ended stays as it ended", () => {
    const uploads = uploadsAfter(
      files("a"),
      { type: "moved", key: 1, state: "cancelled" },
      { type: "moved", key: 1, state: "failed", more: { thrown: new Error("aborted") } },
    );
    expect(states(uploads)).toEqual(["a cancelled"]);
    expect(uploads[0]).not.toHaveProperty("thrown");
    expect(uploads.every(hasEnded)).toBe(true);
  });

  test("a failed one waits again, without its fault", () => {
    const failed: UploadStep = { type: "moved", key: 1, state: "failed", more: { thrown: "no", job: "j" } };
    const [upload] = uploadsAfter(files("a"), failed, { type: "retried", key: 1 });
    expect(upload?.state).toBe("waiting");
    expect(upload?.thrown).toBeUndefined();
    expect(upload?.job).toBeUndefined();
    expect(states(uploadsAfter(files("a"), { type: "retried", key: 1 }))).toEqual(["a waiting"]);
  });

  test("clearing leaves what is under way, and keys stay apart", () => {
    const uploads = uploadsAfter(
      files("a", "b"),
      { type: "moved", key: 1, state: "done" },
      { type: "moved", key: 2, state: "reading" },
      { type: "cleared" },
      files("c"),
    );
    expect(states(uploads)).toEqual(["b reading", "c waiting"]);
    expect(new Set(uploads.map(({ key }) => key)).size).toBe(2);
  });
});

describe("a file's name as a document's id", () => {
  const pattern = new RegExp(DocumentId.pattern ?? "");
  for (const name of [
    "notes.md",
    "a\u0000b\u0085.txt",
    "..",
    ".",
    "",
    `${"x".repeat(300)}.md`,
    "\ufeffé😀.pdf",
  ]) {
    test(JSON.stringify(name.slice(0, 20)), () => {
      const id = documentIdOf(name);
      expect(pattern.test(id)).toBe(true);
      expect(id.length).toBeLessThanOrEqual(255);
    });
  }
});
