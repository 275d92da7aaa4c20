import { decimalSign } from "../parts/text/locale.ts";
import { isolated } from "./isolated.ts";

/** Texts of components that many pages share. */
export const partTexts = {
  copy: "Copy",
  copied: "Copied",
  refused: "The browser refused. Select the text and copy it.",
  close: "Close",
  cancel: "Cancel",
  back: "Back",
  review: "Review",
  typeToConfirm: (text: string) => `Type “${text}” to confirm`,
  loadingMore: "Loading more…",
  noneSoFar: "No match so far. The search can read further.",
  searchOn: "Search further",
  noRows: "No results.",
  problems: "Problems",
  line: (line: number) => `Line ${line}`,
  month: "Month (UTC)",
  chart: (what: string) => `Chart: ${what}`,
  leaveTitle: "Leave without saving?",
  leaveText: "Your changes will be lost.",
  leaveAction: "Leave",
};

/** Texts of tables. */
export const tableTexts = {
  export: "Download CSV",
  exportOf: (table: string) => `Download ${isolated(table)} as CSV`,
  exportFailed: "Not all rows could be read, so there is no file. Try again.",
  exportCut: (most: number) => `The file has the first ${most} rows. Filter the list for others.`,
};

/** Words beside amounts. */
export const amountTexts = {
  unknown: "unknown",
  partly: (known: string) => `${known} + unknown`,
};

const sign = decimalSign === "," ? "comma" : "point";

/** Messages of a number field for a text that is not a number. */
export const numberTexts = {
  needed: "Enter a number.",
  notNumber: (text: string) =>
    `Use digits and a ${sign} for decimals, such as 1234${decimalSign}5. Got ${text}.`,
  separators: (text: string) =>
    `Use one ${sign} for decimals and nothing between thousands, such as 1234${decimalSign}5. Got ${text}.`,
  exponent: (text: string) => `Write the number without an exponent. Got ${text}.`,
  whole: (text: string) => `Use a whole number. Got ${text}.`,
  decimals: (most: number, got: number) => `Use at most ${most} decimals. Got ${got}.`,
  atLeast: (least: string, text: string) => `Use ${least} or more. Got ${text}.`,
  atMost: (most: string, text: string) => `Use ${most} or less. Got ${text}.`,
  notExact: (text: string) => `Use fewer digits: ${text} can't be stored exactly.`,
};

/** Texts of forms that a JSON Schema generates. */
export const schemaFormTexts = {
  view: "Input format",
  form: "Form",
  json: "JSON",
  whole: "Input",
  nothing: "This tool takes no input.",
  choose: "Choose",
  yes: "Yes",
  no: "No",
  notGiven: "Not set",
  anyJson: "JSON. Other input is treated as text.",
  jsonOf: (types: readonly string[]) => `JSON: ${types.join(" or ")}.`,
  element: (place: number) => `Element ${place}`,
  addElement: (label: string) => `Add to ${label}`,
  removeElement: (place: number) => `Remove element ${place}`,
  addGroup: (label: string) => `Add ${label}`,
  removeGroup: (label: string) => `Remove ${label}`,
  needed: "is required",
  unknown: "is not a known field",
  unreadable: "must be valid JSON",
  noChoice: "must be one of the choices",
  wrongType: (types: readonly string[]) => `must be of type ${types.join(" or ")}`,
  atLeast: (value: number) => `must be ${value} or more`,
  atMost: (value: number) => `must be ${value} or less`,
  longer: (length: number) => `must have ${length} characters or more`,
  shorter: (length: number) => `must have ${length} characters or fewer`,
  moreItems: (count: number) => `must have ${count} elements or more`,
  fewerItems: (count: number) => `must have ${count} elements or fewer`,
};

/** Scores of evals beside versions. */
export const scoreTexts = {
  head: "Evals",
  score: (name: string, rate: string) => `${isolated(name)} ${rate}`,
  more: (count: number) => `and ${count} more`,
};

/** Texts about the API keys that a removed member made. */
export const memberKeyTexts = {
  revoked: "These API keys, which they made, are revoked:",
  kept: "These API keys, which they made, are kept:",
  keep: "Keep these keys",
  keepHint: "Programs that use them go on working. Anyone who has a copy of a key can use it.",
};
