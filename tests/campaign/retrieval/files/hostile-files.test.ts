import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { constants, deflateRawSync, deflateSync } from "node:zlib";
import { systemClock } from "../../../../src/kit/clock.ts";
import { bytesOf, openDocumentReader, outcomeOf } from "../../../support/document-reader.ts";
import { docxOf } from "../../../support/docx-file.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import {
  type PdfObject,
  packedStream,
  pdfFile,
  pdfOf,
  pdfWith,
  writtenLines,
} from "../../../support/pdf-file.ts";

const reader = openDocumentReader();
afterAll(() => reader.close());
const harmless = pdfFile({ pages: [["Harmless."]] });

const catalog = "<< /Type /Catalog /Pages 2 0 R >>";
const font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";
const page =
  "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> /XObject << /X 6 0 R >> >> /Contents 5 0 R >>";
const form = (content: string, next: number) =>
  packedStream(
    content,
    `/Type /XObject /Subtype /Form /BBox [0 0 600 700] /Resources << /Font << /F1 3 0 R >> /XObject << /X ${next} 0 R >> >>`,
  );
const onePage = (...forms: PdfObject[]) =>
  pdfOf([catalog, "<< /Type /Pages /Kids [4 0 R] /Count 1 >>", font, page, packedStream("/X Do"), ...forms]);
/** A drawing that draws the next one ten times, and so on: 10^levels times the last. */
const laughs = (levels: number, last: string) =>
  onePage(
    ...Array.from({ length: levels }, (_, level) =>
      form(level === levels - 1 ? last : "/X Do ".repeat(10), 7 + level),
    ),
  );
const blanks = packedBlanks(1024);

const tooMuch = { code: "document_too_large", status: 422, message: expect.stringContaining("split it") };
const unreadable = { code: "document_unreadable", status: 422 };

test.each<[string, () => Uint8Array, object]>([
  [
    "a stream of 1 GiB in 1 MB",
    () => pdfWith([{ text: `<< /Length ${blanks.length} /Filter /FlateDecode >>`, stream: blanks }]),
    tooMuch,
  ],
  [
    "a stream of 1 GiB in 5 kB, packed twice",
    () => {
      const stream = deflateSync(blanks);
      return pdfWith([
        { text: `<< /Length ${stream.length} /Filter [/FlateDecode /FlateDecode] >>`, stream },
      ]);
    },
    tooMuch,
  ],
  ["a drawing that draws itself", () => onePage(form("/X Do /X Do", 6)), unreadable],
  [
    "pages that hold themselves",
    () => pdfOf([catalog, "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>"]),
    unreadable,
  ],
  [
    "two billion pages that aren't there",
    () => pdfOf([catalog, "<< /Type /Pages /Kids [] /Count 2000000000 >>"]),
    unreadable,
  ],
  [
    "a million nested lists",
    () => pdfOf([catalog, `<< /Type /Pages /Kids ${"[".repeat(1_000_000)} >>`]),
    unreadable,
  ],
  [
    "nested dictionaries",
    () => pdfOf([`<< /Pages 2 0 R /X ${"<< /A ".repeat(300_000)} >>`, "<< >>"]),
    unreadable,
  ],
  [
    "a predictor of four billion columns",
    () =>
      pdfWith([
        packedStream(writtenLines(["x"]), "/DecodeParms << /Predictor 12 /Columns 4000000000 /Colors 32 >>"),
      ]),
    unreadable,
  ],
  ["a header and nothing else", () => bytesOf("%PDF-1.7\n"), unreadable],
  ["noise", () => noise(1 << 20), unreadable],
  ["64 MiB of noise", () => noise(1 << 26), { status: 422 }],
  [
    "a million objects without a table",
    () =>
      pdfOf([catalog, "<< /Type /Pages /Kids [] /Count 0 >>", ...Array(300_000).fill("0")]).slice(0, -100),
    { status: 422 },
  ],
  [
    "two million runs of text",
    () => docxOf(`<w:p>${"<w:r><w:t>a</w:t></w:r>".repeat(2_000_000)}</w:p>`),
    tooMuch,
  ],
])("%s ends clearly, and the next file is read", async (_, make, fault) => {
  expect(await outcomeOf(reader, { bytes: make() })).toMatchObject(fault);
  expect(await outcomeOf(reader, { bytes: harmless })).toMatchObject({ text: "Harmless." });
});

test("a PDF that was cut off anywhere is read as far as it goes, or refused", async () => {
  const whole = pdfFile({ pages: [["Harmless."]], info: { Title: "T" } });
  for (let length = 0; length < whole.length; length += 37) {
    const outcome = await outcomeOf(reader, {
      bytes: whole.slice(0, length),
      contentType: "application/pdf",
    });
    expect(outcome).toMatchObject("text" in outcome ? { text: "Harmless." } : unreadable);
  }
});

test.skipIf(process.platform !== "linux")(
  "a file that takes longer than its time limit is stopped at the limit",
  async () => {
    const clock = new FakeClock();
    const slow = openDocumentReader(clock);
    const others = children();
    try {
      const stopped = outcomeOf(slow, { bytes: laughs(12, writtenLines(["ha"])) });
      await untilChildWorks(others);
      await clock.advance(20_000);
      expect(await stopped).toMatchObject({
        code: "document_too_large",
        message: expect.stringContaining("longer than 20 seconds"),
      });
      expect(await outcomeOf(slow, { bytes: harmless })).toMatchObject({ text: "Harmless." });
    } finally {
      slow.close();
    }
  },
);

test("a page of two million nested elements is read", async () => {
  const bytes = bytesOf(`<!doctype html>${"<div>".repeat(2_000_000)}deep`);
  expect(await outcomeOf(reader, { bytes })).toMatchObject({ text: "deep" });
});

test.skipIf(process.platform !== "linux")(
  "the child has no environment and a bound of its memory",
  async () => {
    await outcomeOf(reader, { bytes: harmless });
    // A child of an earlier test may still be ending, and then has neither.
    const told = children().flatMap((child) => {
      try {
        return [["environ", "limits"].map((name) => readFileSync(`/proc/${child}/${name}`, "utf8"))];
      } catch {
        return [];
      }
    });
    expect(told).not.toEqual([]);
    for (const [environment, limits] of told) {
      expect(environment).not.toContain("HOME=");
      expect(limits).toMatch(/^Max address space +4294967296 /m);
    }
  },
);

/** Packs mebibytes of blanks, one of them compressed: to compress a thousand takes seconds. */
function packedBlanks(mebibytes: number): Uint8Array {
  const blank = 32;
  const one = deflateRawSync(Buffer.alloc(1 << 20, blank), { finishFlush: constants.Z_FULL_FLUSH });
  const lastBlock = Buffer.from([3, 0]);
  const length = BigInt(mebibytes) << 20n;
  // Adler-32: the sum of the bytes, and the sum of its values on the way.
  const sum = (1n + BigInt(blank) * length) % 65_521n;
  const sums = (length + (BigInt(blank) * length * (length + 1n)) / 2n) % 65_521n;
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(Number((sums << 16n) | sum));
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array(mebibytes).fill(one), lastBlock, checksum]);
}

function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  // A small generator with a fixed seed: the same bytes in every run.
  let state = 1;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  bytes.set(bytesOf("%PDF-1.7\n"));
  return bytes;
}

/** Returns the processes that read documents for this one. */
function children(): number[] {
  const { stdout } = Bun.spawnSync(["ps", "-ww", "-A", "-o", "pid=,ppid=,args="]);
  return stdout
    .toString()
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...args]) => parent === String(process.pid) && args.at(-1) === "document-child")
    .map(([pid]) => Number(pid));
}

/** Waits until a child that isn't among the others has used 700 ms of CPU time: only then does its time limit run. */
async function untilChildWorks(others: readonly number[]): Promise<void> {
  for (;;) {
    const child = children().find((pid) => !others.includes(pid));
    if (child !== undefined && cpuMsOf(child) > 700) return;
    await new Promise<void>((resolve) => systemClock.timer(20, resolve));
  }
}

function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return 10 * (Number(fields[11]) + Number(fields[12]));
}
