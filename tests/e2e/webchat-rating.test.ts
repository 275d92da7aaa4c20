import { describe, expect } from "bun:test";
import { accessFaults, keepScreenshot, overflowOf, type VisitOptions } from "../support/browser.ts";
import { browserTest, openChat, say, startChat } from "../support/embedded-chat.ts";
import type { TestGateway } from "../support/gateway.ts";

/** Lets the workers go on until something has happened. */
async function until(happened: () => boolean, { clock }: TestGateway): Promise<void> {
  while (!happened()) await clock.advance(250);
}

describe("the buttons below an agent's answer", () => {
  const looks: [string, VisitOptions][] = [
    ["light", {}],
    ["dark", { colorScheme: "dark" }],
    ["narrow", { viewport: { width: 360, height: 640 } }],
  ];
  for (const [look, options] of looks) {
    browserTest(`lets the visitor rate an agent's answer, and change and withdraw it: ${look}`, async () => {
      await using chat = await startChat();
      await chat.bind();
      await using opened = await chat.open(options);
      const { page, complaints } = opened;
      const { kept } = chat.gateway.verdicts;
      const ratings = () => [...kept.values()].map(({ given }) => given?.rating);
      await openChat(page);
      await say(page, "do you have green tea?");
      const good = page.getByRole("button", { name: "Good answer" });
      const bad = page.getByRole("button", { name: "Bad answer" });
      await good.waitFor();
      // A person's answer has no buttons.
      await chat.answer("A person wrote this.");
      await page.getByText("A person wrote this.").waitFor();
      expect([await good.count(), await bad.count()]).toEqual([1, 1]);
      await bad.focus();
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Bad answer", pressed: true }).waitFor();
      await until(() => ratings().join() === "down", chat.gateway);
      expect(await accessFaults(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
      await keepScreenshot(page, `webchat-rating-${look}`);
      await page.keyboard.press("Shift+Tab");
      await page.keyboard.press("Space");
      await page.getByRole("button", { name: "Good answer", pressed: true }).waitFor();
      expect(await bad.getAttribute("aria-pressed")).toBe("false");
      await until(() => ratings().join() === "up", chat.gateway);
      await page.reload();
      await page.getByRole("button", { name: "Good answer", pressed: true }).click();
      await page.getByRole("button", { name: "Good answer", pressed: false }).waitFor();
      await until(() => ratings().length === 0, chat.gateway);
      expect(complaints).toEqual([]);
    });
  }

  browserTest("says that a rating was not saved, and shows the one before", async () => {
    await using chat = await startChat();
    await chat.bind();
    await using opened = await chat.open();
    const { page } = opened;
    await openChat(page);
    await say(page, "hello");
    const good = page.getByRole("button", { name: "Good answer" });
    await good.waitFor();
    await page.context().route("**/webchat/shop/ratings", (route) => route.abort());
    await good.click();
    await page.getByText("Your rating was not saved. Try again.").waitFor();
    expect(await good.getAttribute("aria-pressed")).toBe("false");
    await keepScreenshot(page, "webchat-rating-failed");
    await page.context().unroute("**/webchat/shop/ratings");
    await good.click();
    await page.getByText("Your rating was not saved. Try again.").waitFor({ state: "detached" });
    await until(() => chat.gateway.verdicts.kept.size === 1, chat.gateway);
  });

  browserTest("has no rating buttons on a page that does not want them", async () => {
    await using chat = await startChat({ attributes: 'data-ratings="off"' });
    await chat.bind();
    await using opened = await chat.open();
    const { page } = opened;
    await openChat(page);
    await say(page, "hello there");
    await page.locator(".agente time").waitFor();
    expect(await page.getByRole("button", { name: "Good answer" }).count()).toBe(0);
  });
});
