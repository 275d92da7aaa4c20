import { afterAll, describe, expect, test } from "bun:test";
import { deflateRawSync } from "node:zlib";
import { bytesOf, openDocumentReader, outcomeOf } from "../../support/document-reader.ts";
import { docxFile, docxOf } from "../../support/docx-file.ts";
import { type ZipPart, zipOf } from "../../support/zip-file.ts";

const reader = openDocumentReader();
afterAll(() => reader.close());
const read = (bytes: Uint8Array) => outcomeOf(reader, { bytes });
const withPart = (part: Partial<ZipPart>) =>
  docxOf("<w:p/>", {}, [{ name: "word/document.xml", content: "x", ...part }]);

test("headings, paragraphs, lists and tables keep their breaks, and the file tells of itself", async () => {
  const core = {
    "dc:title": "Wale & Delfine",
    "dc:creator": "A. Person",
    "dcterms:created": "2026-01-02T03:04:05Z",
  };
  const blocks = [
    { heading: "Whales" },
    "They are <mammals> & breathe.",
    { heading: "Kinds", level: 2 },
    { items: ["baleen", "toothed"] },
    { rows: [["name", "length"]] },
  ];
  expect(await read(docxFile(blocks, core))).toEqual({
    text: "Whales\n\nThey are <mammals> & breathe.\n\nKinds\n\n- baleen\n- toothed\n\nname | length",
    title: "Wale & Delfine",
    metadata: { title: "Wale & Delfine", author: "A. Person", created_at: "2026-01-02T03:04:05.000Z" },
  });
});

test("pictures are left out without being unpacked", async () => {
  const drawing = `<w:p><w:r><w:t>Words.</w:t></w:r><w:r><w:pict><v:imagedata xmlns:v="urn:schemas-microsoft-com:vml" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="rId9"/></w:pict></w:r></w:p>`;
  const image: ZipPart = { name: "word/media/a.png", content: "png", size: 2 ** 31, packed: bytesOf("?") };
  const relations: ZipPart = {
    name: "word/_rels/document.xml.rels",
    content: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/a.png"/></Relationships>`,
  };
  expect(await read(docxOf(drawing, {}, [image, relations]))).toMatchObject({ text: "Words." });
});

describe("an archive", () => {
  const bomb = deflateRawSync(Buffer.alloc(1 << 26, 32));
  test.each<[string, Uint8Array, string]>([
    ["that is no document", zipOf([{ name: "a.txt", content: "x" }]), "no DOCX; unpack it"],
    ["without its main part", zipOf([{ name: "[Content_Types].xml", content: "<Types/>" }]), "damaged"],
    ["that holds another one", zipOf([{ name: "inner.zip", content: zipOf([]) }]), "no DOCX; unpack it"],
    [
      "with one name twice",
      docxOf("<w:p/>", {}, [
        { name: "a", content: "1" },
        { name: "a", content: "2" },
      ]),
      "damaged",
    ],
    [
      "with a link",
      docxOf("<w:p/>", {}, [{ name: "a", content: "/etc/passwd", attributes: (0o120777 << 16) >>> 0 }]),
      "damaged",
    ],
    ["with parts that overlap", docxOf("<w:p/>", {}, [{ name: "a", content: "1", offset: 0 }]), "damaged"],
    ["with an encrypted part", withPart({ flags: 1 }), "protected by a password"],
    ["with another packing", withPart({ method: 12 }), "damaged"],
    ["that tells a smaller size than it has", withPart({ packed: bomb, size: 10 }), "damaged"],
    ["with a wrong checksum", withPart({ checksum: 1 }), "damaged"],
    ["with damaged packing", withPart({ packed: bytesOf("??????") }), "damaged"],
    ["that was cut off", docxFile(["Words."]).slice(0, 900), "damaged"],
    ["with junk behind", Buffer.concat([docxFile(["Words."]), bytesOf("junk")]), "damaged"],
    ["with XML that is none", withPart({ content: "<w:document" }), "damaged"],
    ["with invalid UTF-8", withPart({ content: Uint8Array.of(0x3c, 0xff) }), "unknown encoding"],
    [
      "with entities of its own",
      withPart({ content: '<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;">]><a>&c;</a>' }),
      "document type",
    ],
    [
      "with a file of this machine as an entity",
      withPart({ content: '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>' }),
      "document type",
    ],
    ["nested beyond measure", docxOf("<w:p>".repeat(200_000) + "</w:p>".repeat(200_000)), "damaged"],
    ["of nothing but blanks", docxOf(" ".repeat(1_000_000)), "no text"],
  ])("%s is refused", async (_, bytes, message) => {
    expect(await read(bytes)).toMatchObject({
      code: "document_unreadable",
      status: 422,
      message: expect.stringContaining(message),
    });
  });

  test("that unpacks to more than it may is refused", async () => {
    const part = { content: Buffer.alloc(65 * 1024 * 1024, 32) };
    expect(await read(withPart(part))).toMatchObject({
      code: "document_too_large",
      message: expect.stringContaining("64 MiB unpacked; split it"),
    });
  });
});
