import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { Month } from "../../../contracts/platform/billing/fields.ts";
import {
  CreditNoteInput,
  Invoice,
  InvoiceCustomer,
  InvoiceList,
  InvoiceMarkInput,
  InvoiceMarks,
  InvoiceRun,
  InvoiceRunInput,
  InvoiceSettings,
  InvoiceStatus,
  InvoiceSummary,
  VoidInput,
} from "../../../contracts/platform/billing/invoices.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { csvAnswer } from "../../../http/csv-answer.ts";
import { idCursor, wholeListLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { PrintPdf } from "../../../kit/process/print-pdf.ts";
import { operatorCredential, tenantCredential } from "../auth/credentials.ts";
import type { CredentialDeps } from "../auth/deps.ts";
import type { StoreDeps } from "../tables.ts";
import { creditInvoice, markPaid, voidInvoice } from "./change-invoice.ts";
import { invoicePage, invoicePageHeaders } from "./invoice-page.ts";
import { runInvoices } from "./invoice-run.ts";
import {
  readInvoiceCustomer,
  readInvoiceSettings,
  writeInvoiceCustomer,
  writeInvoiceSettings,
} from "./invoice-settings.ts";
import { getInvoice, invoicesCsv, listInvoices } from "./list-invoices.ts";

export interface InvoiceDeps extends StoreDeps {
  printPdf: PrintPdf;
}

const tags = ["invoices"];
const text = { schema: { type: "string" as const } };
const filter = {
  period: Type.Optional(Month),
  status: Type.Optional(InvoiceStatus),
  overdue: Type.Optional(Type.Union([Type.Literal("true"), Type.Literal("false")])),
  format: Type.Optional(Type.Union([Type.Literal("json"), Type.Literal("csv")])),
  limit: wholeListLimit(),
  cursor: idCursor,
};
const tenantId = Type.Optional(Type.String({ maxLength: 64 }));
const listText =
  "Returns all of them, at most 10,000, unless `limit` is smaller. `next_cursor` is present if there are more. With `format=csv`, a table with a line for each.";
const asHtml = { 200: { description: "Invoice as an HTML page.", content: { "text/html": text } } };
const asPdf = { 200: { description: "Invoice as a PDF file.", content: { "application/pdf": text } } };

/** Operators' routes for invoices of all tenants. */
export const invoiceRoutes = (deps: CredentialDeps & InvoiceDeps) =>
  new Elysia({ prefix: "/api/v1/admin" })
    .use(jsonRoutes())
    .use(operatorCredential(deps))
    .get("/invoice-settings", async () => readInvoiceSettings(deps.storage.read, deps.storage.tables), {
      response: InvoiceSettings,
      detail: {
        tags,
        operationId: "getInvoiceSettings",
        summary: "Returns the seller and how invoices are numbered",
      },
    })
    .put(
      "/invoice-settings",
      async ({ operator, body, call }) => writeInvoiceSettings(deps, operator, body, call.requestId),
      {
        ...jsonBody(InvoiceSettings),
        response: InvoiceSettings,
        detail: {
          tags,
          operationId: "putInvoiceSettings",
          summary: "Sets the seller and how later invoices are numbered",
        },
      },
    )
    .get(
      "/tenants/:id/invoice-customer",
      async ({ params }) => readInvoiceCustomer(deps.storage.read, deps.storage.tables, params.id),
      {
        response: InvoiceCustomer,
        detail: { tags, operationId: "getInvoiceCustomer", summary: "Returns the customer's data and taxes" },
      },
    )
    .put(
      "/tenants/:id/invoice-customer",
      async ({ operator, params, body, call }) =>
        writeInvoiceCustomer(deps, operator, {
          tenantId: params.id,
          details: body,
          requestId: call.requestId,
        }),
      {
        ...jsonBody(InvoiceCustomer),
        response: InvoiceCustomer,
        detail: {
          tags,
          operationId: "putInvoiceCustomer",
          summary: "Sets the customer's data and taxes for later invoices",
        },
      },
    )
    .get("/invoices", async ({ query }) => listed(deps, query), {
      query: Type.Object({ ...filter, tenant_id: tenantId }),
      response: InvoiceList,
      detail: {
        tags,
        operationId: "listInvoices",
        summary: "Lists invoices and credit notes, newest first",
        description: listText,
      },
    })
    .post(
      "/invoices",
      async ({ operator, body, call }) => runInvoices(deps, operator, body, call.requestId),
      {
        ...jsonBody(InvoiceRunInput),
        response: InvoiceRun,
        detail: {
          tags,
          operationId: "runInvoices",
          summary: "Issues the invoices of a month, of some tenants or of all, and marks their periods",
        },
      },
    )
    .post(
      "/invoices/paid",
      async ({ operator, body, call }) =>
        markPaid(deps, operator, { ids: body.ids, paidOn: body.paid_on, requestId: call.requestId }),
      {
        ...jsonBody(InvoiceMarkInput),
        response: InvoiceMarks,
        detail: { tags, operationId: "markInvoicesPaid", summary: "Marks invoices as paid" },
      },
    )
    .get("/invoices/:id", async ({ params }) => found(deps, undefined, params.id), {
      response: Invoice,
      detail: { tags, operationId: "getInvoice", summary: "Returns an invoice or credit note" },
    })
    .get("/invoices/:id/html", async ({ params }) => asPage(await found(deps, undefined, params.id)), {
      detail: {
        tags,
        operationId: "getInvoicePage",
        summary: "Returns an invoice as a printable page",
        responses: asHtml,
      },
    })
    .get("/invoices/:id/pdf", async ({ params }) => asFile(deps, await found(deps, undefined, params.id)), {
      detail: {
        tags,
        operationId: "getInvoicePdf",
        summary: "Returns an invoice as a PDF file",
        responses: asPdf,
      },
    })
    .post(
      "/invoices/:id/void",
      async ({ operator, params, body, call }) =>
        voidInvoice(deps, operator, { id: params.id, reason: body.reason, requestId: call.requestId }),
      {
        ...jsonBody(VoidInput),
        response: InvoiceSummary,
        detail: {
          tags,
          operationId: "voidInvoice",
          summary: "Voids an open invoice by a credit note, which is returned",
        },
      },
    )
    .post(
      "/invoices/:id/credit-notes",
      async ({ operator, params, body, call, set }) => {
        set.status = 201;
        const { net_micros: netMicros, reason } = body;
        return creditInvoice(deps, operator, { id: params.id, netMicros, reason, requestId: call.requestId });
      },
      {
        ...jsonBody(CreditNoteInput),
        response: { 201: InvoiceSummary },
        detail: {
          tags,
          operationId: "createCreditNote",
          summary: "Issues a credit note for a part of an invoice",
        },
      },
    );

/** A tenant's own invoices. */
export const ownInvoiceRoutes = (deps: CredentialDeps & InvoiceDeps) =>
  new Elysia({ prefix: "/api/v1" })
    .use(jsonRoutes())
    .use(tenantCredential(deps, "read"))
    .get("/invoices", async ({ tenant, query }) => listed(deps, { ...query, tenant_id: tenant.tenantId }), {
      query: Type.Object(filter),
      response: InvoiceList,
      detail: {
        tags,
        operationId: "listOwnInvoices",
        summary: "Lists the tenant's invoices and credit notes, newest first",
        description: listText,
      },
    })
    .get("/invoices/:id", async ({ tenant, params }) => found(deps, tenant.tenantId, params.id), {
      response: Invoice,
      detail: { tags, operationId: "getOwnInvoice", summary: "Returns an invoice of the tenant" },
    })
    .get(
      "/invoices/:id/html",
      async ({ tenant, params }) => asPage(await found(deps, tenant.tenantId, params.id)),
      {
        detail: {
          tags,
          operationId: "getOwnInvoicePage",
          summary: "Returns an invoice of the tenant as a printable page",
          responses: asHtml,
        },
      },
    )
    .get(
      "/invoices/:id/pdf",
      async ({ tenant, params }) => asFile(deps, await found(deps, tenant.tenantId, params.id)),
      {
        detail: {
          tags,
          operationId: "getOwnInvoicePdf",
          summary: "Returns an invoice of the tenant as a PDF file",
          responses: asPdf,
        },
      },
    );

const found = ({ storage, clock }: StoreDeps, tenantIdOrAny: string | undefined, id: string) =>
  getInvoice(storage.read, storage.tables, { tenantId: tenantIdOrAny, id }, clock.now());

interface ListQuery {
  tenant_id?: string;
  period?: string;
  status?: InvoiceStatus;
  overdue?: "true" | "false";
  format?: "json" | "csv";
  limit: number;
  cursor?: string;
}

async function listed(deps: StoreDeps, query: ListQuery): Promise<never> {
  const list = await listInvoices(deps, query, query);
  if (query.format !== "csv") return list as never;
  const name = `invoices${query.period === undefined ? "" : `-${query.period}`}`;
  return csvAnswer(name, invoicesCsv(list.invoices));
}

const asPage = (invoice: Invoice) => new Response(invoicePage(invoice), { headers: invoicePageHeaders });

async function asFile({ printPdf }: InvoiceDeps, invoice: Invoice): Promise<Response> {
  const name = invoice.number.replaceAll(/[^\w.-]/g, "_");
  return new Response(await printPdf(invoicePage(invoice)), {
    headers: {
      "content-type": "application/pdf",
      "content-disposition": `attachment; filename="${name}.pdf"`,
    },
  });
}
