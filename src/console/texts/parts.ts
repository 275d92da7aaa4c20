/** Parts that many pages share. */
export const partTexts = {
  copy: "Copy",
  copied: "Copied",
  close: "Close",
  cancel: "Cancel",
  typeToConfirm: (text: string) => `Type “${text}” to confirm`,
  loadingMore: "Loading more…",
  noRows: "No results.",
  problems: "Problems",
  line: (line: number) => `Line ${line}`,
  month: "Month (UTC)",
  chart: (what: string) => `Chart: ${what}`,
  leaveTitle: "Leave without saving?",
  leaveText: "Your changes will be lost.",
  leaveAction: "Leave",
};
