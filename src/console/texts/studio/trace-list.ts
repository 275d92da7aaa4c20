/** Texts of the search, the order and the saved views of traces. */
export const traceListTexts = {
  search: "Search",
  searchHint: "Text in the question or the answer",
  anyModel: "Any model",
  until: "Until",
  tenant: "Tenant",
  ownTenant: "This daemon",
  sort: "Order",
  sorts: {
    newest: "Newest first",
    oldest: "Oldest first",
    slowest: "Slowest first",
    fastest: "Fastest first",
    costliest: "Most expensive first",
    cheapest: "Least expensive first",
  } as Record<string, string>,
  noneSoFar: "No match so far. The search can read further.",
  searchOn: "Search further",
  noneFound:
    "No run matches. The search reads only questions and answers that traces keep, and traces are kept for a limited time.",
};
