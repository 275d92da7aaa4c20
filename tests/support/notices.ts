import type { Page } from "playwright-core";

type WithNotices = typeof globalThis & { noticesShown: string[] };

/**
 * Runs in each page before its own scripts: keeps the text of each notice and tooltip that the console shows, because they leave after some
 * seconds.
 */
export function keepNotices(): void {
  const shown: string[] = [];
  (globalThis as WithNotices).noticesShown = shown;
  const passing = ".mantine-Notification-root, [role=tooltip]";
  const look = ({ target, addedNodes }: MutationRecord) => {
    // A tooltip that is open may get another text.
    const changed = target instanceof Text ? target.parentElement?.closest(passing) : undefined;
    if (changed) shown.push(changed.textContent ?? "");
    for (const node of addedNodes) {
      if (!(node instanceof Element)) continue;
      const found = node.matches(passing) ? [node] : node.querySelectorAll(passing);
      for (const { textContent } of found) shown.push(textContent ?? "");
    }
  };
  const everything = { childList: true, characterData: true, subtree: true };
  new MutationObserver((changes) => changes.forEach(look)).observe(document, everything);
}

/**
 * Waits until the page has shown a notice or a tooltip with the text since the last such wait. To wait for the text itself is not enough: a
 * machine that stands still for some seconds never sees it, and a notice of an earlier step may still be there.
 */
export async function noticed(page: Page, text: string): Promise<void> {
  await page.waitForFunction(
    (wanted) => {
      const { noticesShown } = globalThis as WithNotices;
      const at = noticesShown.findIndex((shown) => shown.includes(wanted));
      noticesShown.splice(0, at + 1);
      return at !== -1;
    },
    text,
    { polling: 50 },
  );
}
