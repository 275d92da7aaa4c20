import type { Page } from "playwright-core";

/**
 * Returns the texts of a page that hold a UUID where a reader expects a name: visible texts and the values of fields. Ids to copy, which
 * the details of a thing have, are marked, and code is shown as it is.
 */
export function rawIds(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
    const allowed = "[data-id-text], pre, code, .cm-editor, script, style, [role='log']";
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const holder = node.parentElement;
      const text = node.textContent ?? "";
      if (uuid.test(text) && holder !== null && holder.closest(allowed) === null && holder.checkVisibility())
        found.push(text.trim());
    }
    for (const field of document.querySelectorAll("input:not([type=radio], [type=checkbox]), textarea")) {
      const { value } = field as HTMLInputElement;
      if (uuid.test(value) && field.closest(allowed) === null && field.checkVisibility()) found.push(value);
    }
    return found;
  });
}
