/** What the pieces say that many pages have. */
export const partTexts = {
  copy: "Copy",
  copied: "Copied",
  close: "Close",
  cancel: "Cancel",
  save: "Save",
  typeToConfirm: (text: string) => `Type “${text}” to go on`,
  more: "Load more",
  loadingMore: "Loading more…",
  rows: (count: number, isAll: boolean) => (isAll ? `${count} rows` : `${count} rows so far`),
  noRows: "Nothing matches.",
  editor: "Editor",
  before: "Before",
  after: "After",
  month: "Month (UTC)",
  chart: (what: string) => `Chart: ${what}`,
};
