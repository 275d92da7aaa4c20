import type { Page } from "playwright-core";

/**
 * Returns the controls and texts that a reader cannot see whole nor scroll to: beyond the window's sides, cut by an ancestor that hides what
 * is too wide, covered by the head of a table, or, for a control, at the very edge of the window. A text that ends in an ellipsis counts as seen.
 *
 * Charts and menus follow a new size of the window some frames later, so what is cut counts only if it stays cut for many frames.
 */
export async function cutElements(page: Page): Promise<string[]> {
  for (let look = 1; look < looks; look++) {
    if ((await cutNow(page)).length === 0) return [];
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(drawn)));
  }
  return cutNow(page);
}

const looks = 60;

const cutNow = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const controls = "a[href], button, input, select, textarea, [role=button], [role=tab], [role=combobox]";
    const slack = 1;
    const isOffered = (element: Element) =>
      element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
    const boxOf = (element: Element) => {
      const { left, right, width, height } = element.getBoundingClientRect();
      return { left, right, width, height };
    };
    type Box = ReturnType<typeof boxOf>;
    const leaves = (box: Box, around: Box) =>
      box.right > around.right + slack || box.left < around.left - slack;

    /** How the box is cut, from its element outward; undefined if a reader sees it or can scroll to it. */
    const cutOf = (box: Box, start: Element | null, isText: boolean): string | undefined => {
      for (let around = start; around !== null && around !== document.body; around = around.parentElement) {
        const { overflowX, textOverflow, position, clipPath } = getComputedStyle(around);
        const outer = boxOf(around);
        // Shown to screen readers only.
        if (outer.width <= 1 || clipPath !== "none") return undefined;
        // A text may be scrolled sideways in its box; a control, or a whole dialog, may not.
        const scrolls = overflowX === "auto" || overflowX === "scroll";
        if (scrolls && isText && around.closest(".mantine-Modal-content") !== around) return undefined;
        if (overflowX !== "visible" && leaves(box, outer)) {
          if (isText && textOverflow === "ellipsis") return undefined;
          return `cut by ${nameOf(around)}`;
        }
        if (position === "fixed") break;
      }
      const edge = isText ? 0 : 2;
      const window = { left: edge, right: innerWidth - edge, width: innerWidth, height: innerHeight };
      return leaves(box, window) ? `at ${Math.round(box.left)} to ${Math.round(box.right)}` : undefined;
    };
    const nameOf = (element: Element) =>
      `${element.tagName.toLowerCase()}.${[...element.classList].filter((name) => !name.startsWith("m_")).join(".")}`;
    const found = new Set<string>();
    const report = (box: Box, start: Element | null, element: Element, isText: boolean) => {
      const cut = cutOf(box, start, isText);
      const label = (element.getAttribute("aria-label") ?? element.textContent ?? "").trim().slice(0, 40);
      if (cut !== undefined) found.add(`${nameOf(element)} "${label}" ${cut}`);
    };
    for (const element of document.querySelectorAll(controls)) {
      const box = boxOf(element);
      // A link in a line of text is text.
      const isText = getComputedStyle(element).display === "inline";
      if (box.width > 1 && isOffered(element)) report(box, element.parentElement, element, isText);
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (parent === null || node.textContent?.trim() === "" || !isOffered(parent)) continue;
      range.selectNodeContents(node);
      const { left, right, width, height } = range.getBoundingClientRect();
      if (width > 1) report({ left, right, width, height }, parent, parent, true);
    }
    // A head that stays in sight lies over rows only while the page is scrolled.
    for (const head of scrollY === 0 ? document.querySelectorAll(".ar-table-head") : []) {
      const rows = head.nextElementSibling?.getBoundingClientRect();
      if (rows !== undefined && rows.top < head.getBoundingClientRect().bottom - slack)
        found.add(`${nameOf(head)} covers the first row`);
    }
    const beyond = document.documentElement.scrollWidth - innerWidth;
    if (beyond > 0) found.add(`The page is ${beyond} pixels wider than the window.`);
    return [...found];
  });
