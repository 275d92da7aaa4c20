const fence = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Splits Markdown at blank lines outside of code, into pieces that can be rendered on their own. While an answer grows, only the last piece
 * changes. The joined pieces are the text.
 */
export function splitBlocks(text: string): string[] {
  const blocks: string[] = [];
  let from = 0;
  let open = "";
  let isBlank = false;
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf("\n", at);
    const end = newline === -1 ? text.length : newline + 1;
    const line = text.slice(at, newline === -1 ? end : newline);
    // An indented line belongs to the list item or the code before it.
    if (isBlank && open === "" && line.trim() !== "" && !/^\s/.test(line)) {
      blocks.push(text.slice(from, at));
      from = at;
    }
    const mark = fence.exec(line)?.[1] ?? "";
    if (open === "") open = mark;
    else if (mark.startsWith(open) && line.trim() === mark) open = "";
    isBlank = line.trim() === "";
    at = end;
  }
  if (from < text.length) blocks.push(text.slice(from));
  return blocks;
}
