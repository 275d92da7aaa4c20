import type { Page } from "playwright-core";

/** What the keyboard reached below an element of a page. */
export interface KeyboardWalk {
  /** Number of controls that were reached. */
  reached: number;
  /** Controls that no Tab reached. */
  missed: string[];
  /** Controls that look the same with and without the focus. */
  unseen: string[];
  /** True if the focus came back to where it began. */
  hasEnded: boolean;
}

const stepsMax = 400;

/** Presses Tab until the focus has been everywhere, and compares this with the controls below `root`. */
export async function walkByKeyboard(page: Page, root: string): Promise<KeyboardWalk> {
  const names = await page.evaluate((selector) => {
    const controls = "a[href], button, input, select, textarea, summary, [tabindex='0']";
    const shown = [
      ...(document.querySelector(selector)?.querySelectorAll<HTMLElement>(controls) ?? []),
    ].filter(
      (control) =>
        control.checkVisibility({ visibilityProperty: true }) &&
        control.tabIndex >= 0 &&
        !control.matches(":disabled") &&
        // One Tab stop for a group of radio buttons; the arrows choose.
        !(control instanceof HTMLInputElement && control.type === "radio" && !control.checked),
    );
    return shown.map((control, at) => {
      control.dataset.walk = String(at);
      return control.getAttribute("aria-label") ?? (control.textContent || control.outerHTML.slice(0, 80));
    });
  }, root);
  const [reached, unseen] = [new Set<number>(), new Set<number>()];
  let hasEnded = false;
  for (let step = 0; step < stepsMax && !hasEnded; step++) {
    await page.keyboard.press("Tab");
    const { at, isSeen } = await page.evaluate(() => {
      const focused = document.activeElement as HTMLElement;
      const look = () => {
        const near = [
          focused,
          focused.nextElementSibling,
          focused.parentElement,
          focused.parentElement?.parentElement,
        ];
        return near
          .map((one) => {
            if (!one) return "";
            const { outline, boxShadow, borderColor, backgroundColor } = getComputedStyle(one);
            return [outline, boxShadow, borderColor, backgroundColor].join();
          })
          .join(" | ");
      };
      const before = look();
      focused.blur();
      const isSeen = look() !== before;
      focused.focus();
      return { at: focused.dataset.walk, isSeen };
    });
    if (at === undefined) continue;
    hasEnded = reached.has(Number(at));
    reached.add(Number(at));
    if (!isSeen) unseen.add(Number(at));
  }
  const nameOf = (at: number) => names[at] ?? "";
  return {
    reached: reached.size,
    missed: names.filter((_, at) => !reached.has(at)),
    unseen: [...unseen].map(nameOf),
    hasEnded,
  };
}
