import { describe, expect, test } from "bun:test";
import type { DocumentEntry } from "../../../src/command/document-files.ts";
import type { Parts } from "../../../src/command/parts.ts";
import type { DaemonClient } from "../../../src/contracts/daemon/client.ts";
import type { RagJob } from "../../../src/contracts/daemon/rag/rag-jobs.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { daemonParts, say } from "../recording-shell.ts";

type Put = DaemonClient["putDocument"];

const entries = (count: number): DocumentEntry[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `f${index}.md`,
    path: `/f${index}.md`,
    contentType: "text/markdown",
  }));
const stored: Awaited<ReturnType<Put>> = {
  collection: "c",
  id: "f",
  status: "created",
  chunks: 2,
  characters: 9,
};

function partsWith(put: Put, count: number, more: Partial<Parts> = {}): Partial<Parts> {
  return {
    ...daemonParts({ putDocument: put }),
    findDocuments: async () => ({
      entries: entries(count),
      empty: [],
      faults: [],
      otherKinds: 0,
      prefixes: [""],
    }),
    readDocumentFile: async () => new Uint8Array([1]),
    ...more,
  };
}
const ingest = (parts: Partial<Parts>, setting: Parameters<typeof say>[1] = {}) =>
  say(["rag", "ingest", ".", "--collection", "c"], { ...setting, parts });

test("a file is sent with its own type, name and metadata", async () => {
  const calls: Parameters<Put>[] = [];
  const put: Put = async (...call) => {
    calls.push(call);
    return stored;
  };
  await ingest(partsWith(put, 1));
  expect(calls.map(([collection, id, upload]) => [collection, id, upload])).toEqual([
    [
      "c",
      "f0.md",
      {
        bytes: new Uint8Array([1]),
        name: "f0.md",
        metadata: { source: "f0.md" },
        contentType: "text/markdown",
      },
    ],
  ]);
});

test("a fault of the server ends it, with what was taken until then", async () => {
  let calls = 0;
  const put: Put = async (_collection, id, _upload, signal) => {
    calls++;
    signal?.throwIfAborted();
    if (id === "f3.md")
      throw new AppError("unavailable", "vectors_unavailable", "The store can't be reached.");
    return stored;
  };
  const said = await ingest(partsWith(put, 100));
  expect(said.code).toBe(1);
  expect(said.stderr).toMatch(/^c: [3-5] new/);
  expect(said.stderr).toContain("error: The store can't be reached.");
  expect(calls).toBeLessThan(10);
});

test("a server that is busy is asked again", async () => {
  let refusals = 2;
  const put: Put = async () => {
    if (refusals-- > 0)
      throw new AppError("unavailable", "too_busy", "Later.", { details: { retryAfterSeconds: 0 } });
    return stored;
  };
  expect(await ingest(partsWith(put, 1))).toMatchObject({ code: 0, stdout: "created  f0.md  2 chunks\n" });
});

test("Ctrl-C stops it cleanly, and prints what was acknowledged", async () => {
  let interrupt = () => {};
  const put: Put = async (_collection, id, _upload, signal) => {
    if (id === "f1.md") interrupt();
    signal?.throwIfAborted();
    return stored;
  };
  const said = await ingest(partsWith(put, 50), {
    onSignalReady: (signal) => {
      interrupt = signal;
    },
  });
  expect(said.code).toBe(130);
  expect(said.stdout).toBe("created  f0.md  2 chunks\n");
  expect(said.stderr).toContain("c: 1 new, 0 replaced, 0 unchanged; 2 chunks made.");
});

describe("on a terminal", () => {
  test("a bar shows the progress, and is erased before any other output", async () => {
    const put: Put = async (_collection, id) => {
      if (id === "f1.md")
        throw new AppError("unprocessable", "document_unreadable", "It is\u001b[2J broken.");
      return stored;
    };
    const said = await ingest(partsWith(put, 4), { terminal: true, columns: 60 });
    expect(said.code).toBe(1);
    expect(said.stderr).toContain("\r\u001b[K████████████░░░░░░░░░░░░ 2/4");
    expect(said.stderr).toContain("\r\u001b[K\u001b[31mfailed\u001b[0m  f1.md  It is\\u001b[2J broken.\n");
    expect(said.stderr).toEndWith("\r\u001b[Kc: 3 new, 0 replaced, 0 unchanged, 1 failed; 6 chunks made.\n");
  });
  test("nothing but the document is written with --json", async () => {
    const parts = partsWith(async () => stored, 2);
    const said = await say(["rag", "ingest", ".", "--collection", "c", "--json"], { parts, terminal: true });
    expect(said.stderr).toBe("");
    expect(JSON.parse(said.stdout)).toMatchObject({ created: ["f0.md", "f1.md"] });
  });
});

test("a filter is read from the command line", async () => {
  const asked: unknown[] = [];
  const parts = daemonParts({
    ragQuery: async ({ filters }) => {
      asked.push(filters);
      return { results: [] };
    },
  });
  const query = (...filters: string[]) =>
    say(["rag", "query", "x", "--pipeline", "p", ...filters.flatMap((filter) => ["--filter", filter])], {
      parts,
    });
  await query(
    "lang=en",
    "lang=es",
    "year>=2020",
    "year<2026",
    "done=true",
    'zip="0123"',
    "code=0123",
    "a.b=1.5",
    "t=a=b",
  );
  expect(asked).toEqual([
    {
      lang: { in: ["en", "es"] },
      year: { gte: 2020, lt: 2026 },
      done: { in: [true] },
      zip: { in: ["0123"] },
      code: { in: ["0123"] },
      "a.b": { in: [1.5] },
      t: { in: ["a=b"] },
    },
  ]);
  for (const wrong of [["lang"], ["=x"], ["a=1", "a>2"], ["a>true"]]) {
    expect(await query(...wrong)).toMatchObject({ code: 2 });
  }
  expect(asked).toHaveLength(1);
});

describe("a file that may consist of scanned pages", () => {
  const scan: Partial<Parts> = {
    findDocuments: async () => ({
      entries: [{ id: "scan.pdf", path: "/scan.pdf", contentType: "application/pdf" }],
      empty: [],
      faults: [],
      otherKinds: 0,
      prefixes: [""],
    }),
    readDocumentFile: async () => new Uint8Array(200_000),
  };
  const job: RagJob = {
    job_id: "j",
    kind: "ingest",
    collection: "c",
    status: "running",
    documents_done: 0,
    documents_total: 1,
    chunks: 0,
    failed: [],
    created_at: "2026-01-01T00:00:00Z",
  };
  const parts = (last: Partial<RagJob>, isKnown = false) => {
    const answers: RagJob[] = [
      { ...job, reading: { page: 2, pages: 9 } },
      { ...job, ...last },
    ];
    return {
      ...daemonParts({
        startPutDocument: async () => ({ job_id: "j", status: "queued" }),
        getRagJob: async () => answers.shift() ?? job,
        getDocument: async () => {
          if (!isKnown) throw new AppError("not_found", "document_not_found", "There is none.");
          return {} as never;
        },
      }),
      ...scan,
    };
  };
  const loss = { id: "scan.pdf", kind: "recognized", count: 9, detail: "9 pages read by text recognition" };

  test.each([
    [false, 4, "1 new, 0 replaced, 0 unchanged"],
    [true, 4, "0 new, 1 replaced, 0 unchanged"],
    [true, 0, "0 new, 0 replaced, 1 unchanged"],
  ])("is stored by a job whose page a person sees (known: %p, chunks: %p)", async (isKnown, chunks, sum) => {
    const said = await ingest(parts({ status: "completed", chunks, losses: [loss] }, isKnown), {
      terminal: true,
      columns: 100,
    });
    expect(said.stderr).toContain("scan.pdf, recognizing page 2 of 9");
    expect(said.stderr + said.stdout).toContain(sum);
  });

  test("that can't be read is told as failed, and the other files go on", async () => {
    const error = { error: "document_unreadable", message: "The PDF is damaged." };
    const said = await ingest(parts({ status: "failed", error }), { terminal: true, columns: 100 });
    expect(said.code).toBe(1);
    expect(said.stderr).toMatch(/failed.*scan\.pdf {2}The PDF is damaged\./);
  });

  test("is one request where nobody watches", async () => {
    const put: Put = async () => ({ ...stored, id: "scan.pdf" });
    const said = await ingest({ ...daemonParts({ putDocument: put }), ...scan });
    expect(said.stdout).toContain("created  scan.pdf  2 chunks");
  });
});
