/** What the pieces say that many pages have. */
export const partTexts = {
  copy: "Copy",
  copied: "Copied",
  close: "Close",
  cancel: "Cancel",
  typeToConfirm: (text: string) => `Type “${text}” to go on`,
  loadingMore: "Loading more…",
  noRows: "Nothing matches.",
  problems: "Problems",
  line: (line: number) => `Line ${line}`,
  month: "Month (UTC)",
  chart: (what: string) => `Chart: ${what}`,
  leaveTitle: "Leave without saving?",
  leaveText: "What you changed here is lost when you go.",
  leaveAction: "Leave",
};
