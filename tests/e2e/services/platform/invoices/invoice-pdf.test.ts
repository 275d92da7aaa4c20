import { expect, test } from "bun:test";
import { createPdfPrinter } from "../../../../../src/kit/process/print-pdf.ts";
import { openDocumentReader } from "../../../../support/document-reader.ts";
import { dollars, invoicedMonth, monthByHand } from "../../../../support/invoiced-month.ts";
import { asOperator } from "../../../../support/platform.ts";
import { sqliteEngine } from "../../../../support/storage-engines.ts";

const chromium = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"].find(
  (name) => Bun.which(name) !== null,
);

test.skipIf(chromium === undefined)(
  "an invoice's PDF has the amounts of the month computed by hand",
  async () => {
    const { platform, invoiceId } = await invoicedMonth(sqliteEngine);
    await using _ = platform;
    const answer = await fetch(`${platform.url}/api/v1/admin/invoices/${invoiceId}/pdf`, {
      headers: asOperator,
    });
    expect(answer.headers.get("content-type")).toBe("application/pdf");
    const reader = openDocumentReader();
    const content = new Uint8Array(await answer.arrayBuffer());
    const { text } = await reader.read({ name: "invoice.pdf", bytes: content }, new AbortController().signal);
    reader.close();
    const { subtotal, net, tax, total, cuota, recarga, ajuste } = monthByHand;
    for (const amount of [subtotal, net, tax, total, cuota, recarga, ...ajuste])
      expect(text).toContain(dollars(amount));
  },
);

test("without Chromium, a PDF is 503 with the way to print", async () => {
  await expect(createPdfPrinter(() => undefined)("<p>")).rejects.toMatchObject({
    code: "pdf_unavailable",
    kind: "unavailable",
  });
});
