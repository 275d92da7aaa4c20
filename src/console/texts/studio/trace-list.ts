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
  textless:
    "Questions and answers of these runs were not recorded. The console records its own runs; for others, set observability.record in the agent's manifest.",
  noneFound:
    "No run matches. The search reads only questions and answers that traces keep, and traces are kept for a limited time.",
};

/** Texts of the comparison of two runs. */
export const compareTexts = {
  title: "Compare runs",
  lead: "Two runs side by side: figures, question, answer and steps.",
  select: (agent: string, began: string) => `Compare the run of ${agent}, ${began}`,
  column: "Compare",
  compare: "Compare",
  compareHint: "Choose two runs in the list to compare them.",
  none: "Choose two runs in the list of traces, then press “Compare”.",
  choose: "Open traces",
  swap: "Swap",
  figures: "Figures",
  measure: "Measure",
  first: "First",
  second: "Second",
  difference: "Difference",
  inputTokens: "Input tokens",
  outputTokens: "Output tokens",
  same: "The same in both runs.",
  neither: "Neither run has kept this text.",
  onlyFirst: "Only the first run has kept this text.",
  onlySecond: "Only the second run has kept this text.",
  differencesOf: (title: string) => `Differences: ${title}`,
  steps: "Steps",
  sameSteps: "Both runs have the same steps.",
  firstDifference: (equal: number, a: string, b: string) =>
    `${equal === 0 ? "No steps are equal before the first difference" : equal === 1 ? "1 step is equal" : `${equal} steps are equal`}. First difference: ${a} | ${b}.`,
  noStep: "no step",
  failed: "failed",
};

/** Texts of the columns and the saved views of traces. */
export const viewTexts = {
  open: "Views",
  title: "Columns and saved views",
  columns: "Columns",
  name: "Name",
  nameHint: "Saves the filters, the order and the columns in this browser.",
  full: (most: number) => `This browser keeps at most ${most} views. Delete one first.`,
  save: "Save view",
  saved: "Saved views",
  none: "No saved views yet. The address of the page also has all filters, so you can share it.",
  actions: "Actions",
  rename: "Rename",
  renameOf: (name: string) => `Rename view ${name}`,
  newName: (name: string) => `New name of view ${name}`,
  delete: "Delete",
  deleteOf: (name: string) => `Delete view ${name}`,
  taken: (name: string) => `Another view has the name “${name}”. Choose a different one.`,
  notStored: "The browser could not store the view. Allow site data, or free some space.",
};
