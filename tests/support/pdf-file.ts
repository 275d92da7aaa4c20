import { deflateSync } from "node:zlib";

/** The body of an object: its dictionary or value, and the bytes of its stream. */
export interface PdfObject {
  text: string;
  stream?: Uint8Array;
}

/** Creates a PDF of these objects, numbered from 1; the first must be the catalog. `trailer` has further entries of the trailer. */
export function pdfOf(objects: readonly (PdfObject | string)[], { trailer = "" } = {}): Uint8Array {
  const parts: Uint8Array[] = [];
  const offsets: number[] = [];
  let length = 0;
  const add = (bytes: Uint8Array | string) => {
    const part = typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes;
    parts.push(part);
    length += part.length;
  };
  add("%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n");
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    const { text, stream }: PdfObject = typeof object === "string" ? { text: object } : object;
    add(`${index + 1} 0 obj\n${text}\n`);
    if (stream !== undefined) {
      add("stream\n");
      add(stream);
      add("\nendstream\n");
    }
    add("endobj\n");
  }
  const start = length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
  add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join("")}`);
  add(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\n`);
  add(`startxref\n${start}\n%%EOF\n`);
  return new Uint8Array(Buffer.concat(parts));
}

/** A stream object, packed by deflate like those of PDF writers. */
export function packedStream(content: Uint8Array | string, entries = ""): PdfObject {
  const stream = deflateSync(typeof content === "string" ? Buffer.from(content, "latin1") : content);
  return { text: `<< /Length ${stream.length} /Filter /FlateDecode ${entries} >>`, stream };
}

/** A text in a content stream or dictionary, in Latin-1. */
export const pdfText = (text: string) => `(${text.replace(/[\\()]/g, (character) => `\\${character}`)})`;

/** Returns the operators that write lines on a page, from the top; "" leaves a line empty. */
export function writtenLines(lines: readonly string[], fontSize = 12): string {
  const shown = lines.map((line) => `${pdfText(line)} Tj T*`);
  return `BT /F1 ${fontSize} Tf ${fontSize * 1.2} TL 72 760 Td ${shown.join("\n")} ET`;
}

export interface PdfFile {
  /** The lines of each page. */
  pages: readonly (readonly string[])[];
  /** Keys of the information dictionary. */
  info?: Readonly<Record<string, string>>;
}

const font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";

/** Creates a PDF of pages of text. */
export function pdfFile({ pages, info = {} }: PdfFile): Uint8Array {
  return pdfWith(
    pages.map((lines) => packedStream(writtenLines(lines))),
    info,
  );
}

/** Creates a PDF whose pages have these content streams. */
export function pdfWith(
  contents: readonly PdfObject[],
  info: Readonly<Record<string, string>> = {},
): Uint8Array {
  const first = 5;
  const kids = contents.map((_, index) => `${first + 2 * index} 0 R`);
  const described = Object.entries(info).map(([key, value]) => `/${key} ${pdfText(value)}`);
  return pdfOf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      `<< /Type /Pages /Kids [${kids.join(" ")}] /Count ${contents.length} >>`,
      font,
      `<< ${described.join(" ")} >>`,
      ...contents.flatMap((content, index) => [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${first + 2 * index + 1} 0 R >>`,
        content,
      ]),
    ],
    { trailer: "/Info 4 0 R" },
  );
}
