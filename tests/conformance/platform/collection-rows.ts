import { at, type RouteRow, tenantRead } from "./route-row.ts";

const collections = "/api/v1/collections";

/** Collections and their documents. */
export const collectionRows: RouteRow[] = [
  tenantRead(collections, () => collections, "own"),
  tenantRead(`${collections}/:collection`, ({ collection }) => `${collections}/${collection}`, "missing"),
  {
    route: `PUT ${collections}/:collection`,
    plane: "tenant",
    request: at(({ collection }) => `${collections}/${collection}`),
    status: 200,
    foreign: "own",
  },
  {
    route: `DELETE ${collections}/:collection`,
    plane: "tenant",
    request: at(({ collection }) => `${collections}/${collection}`),
    status: 204,
    foreign: "missing",
    once: true,
  },
  {
    route: `POST ${collections}/:collection/query`,
    plane: "tenant",
    request: ({ collection }) => ({
      path: `${collections}/${collection}/query`,
      body: { query: "what does it cost?" },
    }),
    status: 200,
    foreign: "missing",
  },
  tenantRead(
    `${collections}/:collection/documents`,
    ({ collection }) => `${collections}/${collection}/documents`,
    "missing",
  ),
  tenantRead(
    `${collections}/:collection/documents/:id`,
    ({ collection, document }) => `${collections}/${collection}/documents/${document}`,
    "missing",
  ),
  tenantRead(
    `${collections}/:collection/documents/:id/chunks`,
    ({ collection, document }) => `${collections}/${collection}/documents/${document}/chunks`,
    "missing",
  ),
  {
    route: `PUT ${collections}/:collection/documents/:id`,
    plane: "tenant",
    request: ({ collection, document }) => ({
      path: `${collections}/${collection}/documents/${document}`,
      body: "Tea costs 3 euros.",
      headers: { "content-type": "text/plain" },
    }),
    status: 200,
    foreign: "own",
  },
  {
    route: `DELETE ${collections}/:collection/documents/:id`,
    plane: "tenant",
    request: at(({ collection, document }) => `${collections}/${collection}/documents/${document}`),
    status: 204,
    foreign: "missing",
    once: true,
  },
];
