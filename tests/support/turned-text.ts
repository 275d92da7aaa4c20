import type { Page } from "playwright-core";

/** Returns texts of the page that run from right to left only because of text next to them. */
export const turnedTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const marks = /[\u202a-\u202e\u2066-\u2069]/;
    const range = document.createRange();
    const placeOf = (text: Text, at: number) => {
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      return range.getBoundingClientRect();
    };
    const turned: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (
      let text = walker.nextNode() as Text | null;
      text !== null;
      text = walker.nextNode() as Text | null
    ) {
      const word = /[A-Za-z]{2,}/.exec(text.data);
      if (word === null || marks.test(text.data)) continue;
      const first = placeOf(text, word.index);
      const last = placeOf(text, word.index + word[0].length - 1);
      if (first.top === last.top && first.left > last.left) turned.push(text.data);
    }
    return turned;
  });
