import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Browser, Locator, Page } from "playwright-core";
import { browserMissing, openBrowser, type Visit, visit } from "../support/browser.ts";
import { goTo, settled } from "../support/console-page.ts";
import { addressesOf } from "../support/console-pages.ts";
import { type ConsoleWorld, startConsoleWorld } from "../support/console-world.ts";
import { executableBuilt, executableTest } from "../support/executable.ts";

describe("tables of the console", () => {
  let world: ConsoleWorld;
  let browser: Browser;
  let opened: Visit;
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    world = await startConsoleWorld();
    browser = await openBrowser();
    opened = await visit(browser, await world.link(), { viewport: { width: 1440, height: 900 } });
    await settled(opened.page);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
  });

  executableTest(
    "are saved as CSV on every page, with the rows and the texts that they show",
    async () => {
      const { page, complaints } = opened;
      await page.addInitScript(keepOffered);
      await page.evaluate(keepOffered);
      let saved = 0;
      for (const { page: path, address } of addressesOf(world.names)) {
        await goTo(page, address);
        await settled(page);
        for (const button of await page.locator(".ar-table-export:visible").all()) {
          const shown = await shownTable(button);
          // By key: the button is not drawn until a pointer or the focus is at its table.
          await button.press("Enter");
          const [head, ...rows] = linesOf(await offeredFile(page));
          expect(head, path).toEqual(shown.head);
          expect(rows.length, path).toBeGreaterThanOrEqual(shown.rows.length);
          for (const [at, row] of shown.rows.entries())
            expect(rows[at]?.map(bare), `${path}, row ${at + 1}`).toEqual(row.map(bare));
          saved++;
        }
      }
      expect(saved).toBeGreaterThan(40);
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );
});

/** Keeps the file that the page offers. A browser takes only some of many files of one page over. */
function keepOffered(): void {
  const make = URL.createObjectURL;
  URL.createObjectURL = (file) => {
    Object.assign(globalThis, { offered: file });
    return make.call(URL, file);
  };
}

/** Returns the text of the file that the page offers next. */
async function offeredFile(page: Page): Promise<string> {
  const offered = await page.waitForFunction(() => Reflect.get(globalThis, "offered") as Blob | undefined);
  const text = await offered.evaluate((file) => file?.text() ?? "");
  await page.evaluate(() => Reflect.deleteProperty(globalThis, "offered"));
  return text;
}

/** The lines of a file, each of which ends with CR and LF. */
const linesOf = (csv: string): string[][] =>
  csv
    .split("\r\n")
    .slice(0, -1)
    .map((line) =>
      [...`,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, plain = ""]) => quoted?.replaceAll('""', '"') ?? plain,
      ),
    );

/** A cell without what a file writes in its own way: signs of numbers, and what guards a spreadsheet. */
const bare = (text: string): string =>
  text
    .replaceAll(/[\s,$']/g, "")
    .replace("−", "-")
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");

/** The head and the drawn rows of the table beside a button, without columns that only have buttons. */
function shownTable(button: Locator): Promise<{ head: string[]; rows: string[][] }> {
  return button.evaluate((element) => {
    const frame = element.parentElement;
    const heads = [...(frame?.querySelectorAll("th:not(tbody th):not(tfoot th), [role=columnheader]") ?? [])];
    const isWritten = heads.map((head) => head.querySelector(".mantine-VisuallyHidden-root") === null);
    const textOf = (cell: Element) =>
      cell.querySelector("time[datetime]")?.getAttribute("datetime") ??
      (cell.textContent ?? "").replaceAll(/\s+/g, " ").trim();
    const rows = [...(frame?.querySelectorAll("tbody > tr, .ar-table-body > .ar-row") ?? [])];
    return {
      head: heads.filter((_, at) => isWritten[at]).map((head) => (head.textContent ?? "").trim()),
      rows: rows.map((row) => [...row.children].filter((_, at) => isWritten[at]).map(textOf)),
    };
  });
}
