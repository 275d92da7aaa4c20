import { expect, test } from "bun:test";
import { systemClock } from "../../../src/kit/clock.ts";
import type { PageProgress } from "../../../src/retrieval/files/document-file.ts";
import { openDocumentReader, outcomeOf } from "../../support/document-reader.ts";
import { recognitionStub, scannedPdf } from "../../support/recognition-stub.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

test("pages that are pictures are recognized, each is told before it is read, and the answer names them", async () => {
  using folder = temporaryFolder();
  const { recognition, installed } = recognitionStub(folder.path, "Recognized words.");
  const reader = openDocumentReader(systemClock, recognition);
  const told: PageProgress[] = [];
  const read = await outcomeOf(reader, {
    bytes: scannedPdf([undefined, "Printed words.", undefined]),
    contentType: "application/pdf",
    recognized: ["eng"],
    progressed: (at) => told.push(at),
  });
  reader.close();
  expect(read).toMatchObject({
    text: "Recognized words.\n\nPrinted words.\n\nRecognized words.",
    losses: [
      { kind: "recognized", count: 2, detail: "2 pages read by text recognition, which may err: 1, 3" },
    ],
  });
  expect(told).toEqual([
    { page: 1, pages: 3 },
    { page: 3, pages: 3 },
  ]);
  expect(installed()).toBe(0);
});

test("the recognition is installed for the first page that is a picture, and not for pages with text", async () => {
  using folder = temporaryFolder();
  const { recognition, installed } = recognitionStub(folder.path, "Recognized words.", false);
  const reader = openDocumentReader(systemClock, recognition);
  const wanted = { contentType: "application/pdf", recognized: ["eng"] };
  await outcomeOf(reader, { ...wanted, bytes: scannedPdf(["Printed words."]) });
  expect(installed()).toBe(0);
  // A pipeline that names no languages never installs it.
  await outcomeOf(reader, { ...wanted, recognized: [], bytes: scannedPdf([undefined]) });
  expect(installed()).toBe(0);
  expect(await outcomeOf(reader, { ...wanted, bytes: scannedPdf([undefined]) })).toMatchObject({
    text: "Recognized words.",
  });
  expect(installed()).toBe(1);
  reader.close();
});

test("a scan that an e-mail has attached is recognized too, and named where it can't be", async () => {
  using folder = temporaryFolder();
  const { recognition } = recognitionStub(folder.path, "Recognized words.");
  const reader = openDocumentReader(systemClock, recognition);
  const scan = Buffer.from(scannedPdf([undefined])).toString("base64");
  const mail = `From: a@example.com\r\nSubject: Letter\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nSee below.\r\n--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename=letter.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${scan}\r\n--b--\r\n`;
  const file = { bytes: new TextEncoder().encode(mail), contentType: "message/rfc822" };
  expect(await outcomeOf(reader, { ...file, recognized: ["eng"] })).toMatchObject({
    text: expect.stringContaining("Attachment: letter.pdf\n\nRecognized words."),
    losses: [{ kind: "recognized", detail: "letter.pdf: 1 page read by text recognition, which may err: 1" }],
  });
  expect(await outcomeOf(reader, file)).toMatchObject({
    losses: [{ kind: "pictures", detail: "1 attachment without text, a picture or empty: letter.pdf" }],
  });
  reader.close();
});
