import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { RecognitionFiles, TextRecognition } from "../../src/retrieval/files/scan/text-recognition.ts";
import { packedStream, pdfOf } from "./pdf-file.ts";

/** A recognition whose program finds the same words on each picture; `installed` counts how often it was wanted while missing. */
export function recognitionStub(folder: string, words: string, isThere = true) {
  const files: RecognitionFiles = {
    core: join(folder, "core"),
    languages: [{ name: "eng", path: join(folder, "eng.gz") }],
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    `${files.core}.js`,
    `module.exports = async () => ({
      FS: { writeFile() {} },
      TessBaseAPI: class {
        Init() { return 0; } SetImageFile() {} Recognize() {} Clear() {}
        GetUTF8Text() { return ${JSON.stringify(words)}; }
      },
    });`,
  );
  writeFileSync(`${files.core}.wasm`, "");
  writeFileSync(join(folder, "eng.gz"), gzipSync("data"));
  let found = isThere;
  let installed = 0;
  const recognition: TextRecognition = {
    find: async () => (found ? files : undefined),
    async install() {
      installed++;
      found = true;
      return files;
    },
  };
  return { recognition, installed: () => installed };
}

/** A PDF of pages that are pictures; where `texts` has a string, the page has that text instead. */
export function scannedPdf(texts: readonly (string | undefined)[]): Uint8Array {
  const side = 300;
  const picture = packedStream(
    new Uint8Array(side * side).fill(255),
    `/Type /XObject /Subtype /Image /Width ${side} /Height ${side} /ColorSpace /DeviceGray /BitsPerComponent 8`,
  );
  const first = 5;
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${texts.length} /Kids [${texts.map((_, at) => `${first + 2 * at} 0 R`).join(" ")}] >>`,
    picture,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...texts.flatMap((text, at) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents ${first + 2 * at + 1} 0 R /Resources << /XObject << /Im0 3 0 R >> /Font << /F1 4 0 R >> >> >>`,
      packedStream(
        text === undefined ? "q 300 0 0 300 0 0 cm /Im0 Do Q" : `BT /F1 12 Tf 20 200 Td (${text}) Tj ET`,
      ),
    ]),
  ]);
}
