import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock } from "../../../../src/kit/clock.ts";
import { silentLogger } from "../../../../src/kit/log.ts";
import { createNpmPackages } from "../../../../src/kit/packages/npm-packages.ts";
import { packagesFolder } from "../../../../src/kit/process/first-use-install.ts";
import { createTextRecognition } from "../../../../src/retrieval/files/scan/text-recognition.ts";
import { browserMissing, openBrowser } from "../../../support/browser.ts";
import { openDocumentReader, outcomeOf } from "../../../support/document-reader.ts";
import { pdfOf } from "../../../support/pdf-file.ts";

const recognition = createTextRecognition(
  createNpmPackages({
    folders: [{ path: join(packagesFolder, ".cache/text-recognition"), isShared: false }],
    fetch: async () => {
      throw new Error("tests install nothing");
    },
    clock: systemClock,
    log: silentLogger,
  }),
);
const missing =
  browserMissing ??
  ((await recognition.find(["eng", "deu"])) === undefined
    ? "npm install --ignore-scripts --prefix .cache/text-recognition tesseract.js-core @tesseract.js-data/{eng,deu} makes it run"
    : undefined);

const letter = `<body style="margin:60px;font:24px serif;width:1100px;background:#fff"><p>Hauptstraße 12, 10115 Berlin</p>
<p><b>Termination of the lease</b></p><p>Dear Ms. Keller,</p>
<p>we hereby terminate the lease of the flat with effect from 30 June 2026. Please return all four keys by noon of that day.
The deposit of 1,450 euros will be paid back within six weeks.</p></body>`;

const width = 1240;
const height = 800;

/** A PDF of pages that are pictures, as scanners make them; `rotate` turns the pages. */
function scanOf(pictures: readonly Uint8Array[], rotate = 0): Uint8Array {
  const first = 3;
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${pictures.map((_, at) => `${first + 3 * at} 0 R`).join(" ")}] /Count ${pictures.length} >>`,
    ...pictures.flatMap((picture, at) => {
      const own = first + 3 * at;
      const content = Buffer.from("q 595 0 0 384 0 0 cm /Im0 Do Q");
      return [
        `<< /Type /Page /Parent 2 0 R /Rotate ${rotate} /MediaBox [0 0 595 384] /Resources << /XObject << /Im0 ${own + 2} 0 R >> >> /Contents ${own + 1} 0 R >>`,
        { text: `<< /Length ${content.length} >>`, stream: content },
        {
          text: `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode /Length ${picture.length} >>`,
          stream: picture,
        },
      ];
    }),
  ]);
}

async function pictureOf(html: string): Promise<Uint8Array> {
  await using browser = await openBrowser();
  const page = await browser.newPage({ viewport: { width, height } });
  await page.setContent(html);
  return await page.screenshot({ type: "jpeg", quality: 80 });
}

describe.skipIf(missing !== undefined)(
  `a scanned letter${missing === undefined ? "" : ` (${missing})`}`,
  () => {
    const reader = openDocumentReader(systemClock, recognition);
    afterAll(() => reader.close());

    test("is read in the languages of the pipeline, and its answer says so", async () => {
      const picture = await pictureOf(letter);
      const file = {
        bytes: scanOf([picture, picture]),
        contentType: "application/pdf",
        recognized: ["eng", "deu"],
      };
      const read = await outcomeOf(reader, file);
      expect(read).toMatchObject({
        text: expect.stringMatching(/Hauptstraße 12[\s\S]+with effect from 30 June 2026[\s\S]+1,450 euros/),
        places: [{ start: 0, page: 1 }, { page: 2 }],
        losses: [
          { kind: "recognized", count: 2, detail: "2 pages read by text recognition, which may err: 1-2" },
        ],
      });
    });

    test("that lies on its side is read as the page shows it", async () => {
      const picture = await pictureOf(`<style>html{transform:rotate(180deg)}</style>${letter}`);
      const file = { bytes: scanOf([picture], 180), contentType: "application/pdf", recognized: ["eng"] };
      expect(await outcomeOf(reader, file)).toMatchObject({ text: expect.stringContaining("30 June 2026") });
    });
  },
);
