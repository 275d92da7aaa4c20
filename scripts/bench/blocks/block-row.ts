/** One bounded input. An error counts as a refusal, whose time counts. */
export interface BlockRow {
  input: string;
  size: string;
  work: () => unknown;
}

/** A row whose size is that of a text. */
export const sized = (input: string, text: string, work: () => unknown): BlockRow => ({
  input,
  size: `${Math.round(text.length / 1024)} KiB`,
  work,
});
