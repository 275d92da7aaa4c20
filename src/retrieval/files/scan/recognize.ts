import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";
import { unreadable } from "../document-fault.ts";
import type { RecognitionFiles } from "./text-recognition.ts";

/** A picture in rows from the top, a byte for each dot, 0 black to 255 white. */
export interface GrayPicture {
  width: number;
  height: number;
  dots: Uint8Array;
}

/** The text on pictures of pages. */
export interface Recognizer {
  textOf(picture: GrayPicture): string;
}

/** The parts of Tesseract that are used. */
interface Tesseract {
  FS: { writeFile(path: string, bytes: Uint8Array): void };
  TessBaseAPI: new () => {
    /** 0: done. */
    Init(folder: null, languages: string, mode: number): number;
    SetImageFile(angle: number, exif: number): number;
    Recognize(monitor: null): number;
    GetUTF8Text(): string;
    Clear(): void;
  };
}

/** The neural network alone, for which the language files are made. */
const neuralOnly = 1;

/** Loads Tesseract with its languages, which takes 0.2 s. Runs in a process that can be killed. */
export async function loadRecognizer({ core, languages }: RecognitionFiles): Promise<Recognizer> {
  // Not bundled: the package is there only where recognition is wanted.
  const make: (options: object) => Promise<Tesseract> = createRequire(`${core}.js`)(`${core}.js`);
  const tesseract = await make({ wasmBinary: readFileSync(`${core}.wasm`), TesseractProgress() {} });
  for (const { name, path } of languages)
    tesseract.FS.writeFile(`/${name}.traineddata`, gunzipSync(readFileSync(path)));
  const api = new tesseract.TessBaseAPI();
  if (api.Init(null, languages.map(({ name }) => name).join("+"), neuralOnly) !== 0)
    throw unreadable("The text recognition can't be started with the pipeline's languages.");
  return {
    textOf(picture) {
      tesseract.FS.writeFile("/input", bitmapOf(picture));
      api.SetImageFile(1, 0);
      api.Recognize(null);
      const text = api.GetUTF8Text();
      api.Clear();
      return text.trim();
    },
  };
}

const headBytes = 54 + 4 * 256;

/** The picture as a BMP file of 256 shades. */
function bitmapOf({ width, height, dots }: GrayPicture): Uint8Array {
  const rowBytes = Math.ceil(width / 4) * 4;
  const file = Buffer.alloc(headBytes + rowBytes * height);
  file.write("BM", 0, "latin1");
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(headBytes, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(8, 28);
  file.writeUInt32LE(rowBytes * height, 34);
  // 300 dots an inch, as scanners have.
  file.writeInt32LE(11_811, 38);
  file.writeInt32LE(11_811, 42);
  file.writeUInt32LE(256, 46);
  for (let shade = 0; shade < 256; shade++) file.writeUInt32LE(shade * 0x01_0101, 54 + 4 * shade);
  // Rows of a bitmap begin at the bottom.
  for (let row = 0; row < height; row++)
    file.set(dots.subarray(row * width, (row + 1) * width), headBytes + (height - 1 - row) * rowBytes);
  return file;
}
