import { loadUnpdf } from "../document-libraries.ts";
import type { GrayPicture } from "../scan/recognize.ts";

/** What a page of the library has for its pictures. */
export interface PicturePage {
  rotate: number;
  getOperatorList(): Promise<{ fnArray: readonly number[]; argsArray: readonly unknown[] }>;
  objs: { get(name: string, found: (picture: unknown) => void): unknown };
  commonObjs: { get(name: string, found: (picture: unknown) => void): unknown };
}

/** A decoded picture; `kind` is 1 for a bit a dot, 2 for RGB, 3 for RGBA. */
interface Decoded {
  width: number;
  height: number;
  kind: number;
  data: Uint8Array | Uint8ClampedArray;
}

/** More dots than an A3 page with 600 dots an inch. */
const dotsMax = 80_000_000;
/** Smaller pictures are logos and lines. */
const sideMin = 200;

/** The picture of a scanned page: its largest one, or the strips of equal width that some scanners make of a page. */
export async function pagePicture(page: PicturePage): Promise<GrayPicture | undefined> {
  const found = (await picturesOf(page)).filter(({ width }) => width >= sideMin);
  const width = Math.max(0, ...found.map((one) => one.width));
  const strips = found.filter((one) => one.width === width);
  const height = strips.reduce((sum, one) => sum + one.height, 0);
  if (height < sideMin || width * height > dotsMax) return undefined;
  const dots = new Uint8Array(width * height);
  let row = 0;
  for (const strip of strips) {
    writeGray(strip, dots.subarray(row * width));
    row += strip.height;
  }
  return turned({ width, height, dots }, page.rotate);
}

async function picturesOf(page: PicturePage): Promise<Decoded[]> {
  const { getResolvedPDFJS } = await loadUnpdf();
  const { OPS } = await getResolvedPDFJS();
  const { fnArray, argsArray } = await page.getOperatorList();
  const found: Decoded[] = [];
  for (const [index, operation] of fnArray.entries()) {
    const [first] = (argsArray[index] ?? []) as unknown[];
    let picture: unknown;
    if (operation === OPS.paintInlineImageXObject) picture = first;
    else if (operation === OPS.paintImageXObject && typeof first === "string")
      picture = await new Promise((resolve) => {
        (first.startsWith("g_") ? page.commonObjs : page.objs).get(first, resolve);
      });
    if (isDecoded(picture)) found.push(picture);
  }
  return found;
}

function isDecoded(value: unknown): value is Decoded {
  if (typeof value !== "object" || value === null) return false;
  const { width, height, kind, data } = value as Partial<Decoded>;
  return (
    Number.isInteger(width) && Number.isInteger(height) && kind !== undefined && ArrayBuffer.isView(data)
  );
}

function writeGray({ width, height, kind, data }: Decoded, dots: Uint8Array): void {
  if (kind === 1) {
    const rowBytes = Math.ceil(width / 8);
    for (let row = 0; row < height; row++)
      for (let at = 0; at < width; at++)
        dots[row * width + at] = ((data[row * rowBytes + (at >> 3)] ?? 0) >> (7 - (at & 7))) & 1 ? 255 : 0;
    return;
  }
  const channels = kind === 2 ? 3 : 4;
  for (let dot = 0; dot < width * height; dot++) {
    const at = dot * channels;
    dots[dot] = ((data[at] ?? 0) * 77 + (data[at + 1] ?? 0) * 150 + (data[at + 2] ?? 0) * 29) >> 8;
  }
}

/** The picture as the page shows it, turned by quarters. */
function turned(picture: GrayPicture, rotate: number): GrayPicture {
  const quarters = (((rotate / 90) % 4) + 4) % 4;
  let { width, height, dots } = picture;
  for (let turn = 0; turn < quarters; turn++) {
    const next = new Uint8Array(dots.length);
    for (let row = 0; row < height; row++)
      for (let at = 0; at < width; at++)
        next[at * height + (height - 1 - row)] = dots[row * width + at] as number;
    dots = next;
    [width, height] = [height, width];
  }
  return { width, height, dots };
}
