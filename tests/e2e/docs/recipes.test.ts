import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { blocksOf, root } from "../../docs/fenced-blocks.ts";
import { type FollowedWorkspace, followedWorkspace } from "./followed-workspace.ts";

const page = "docs/recipes.md";
const text = readFileSync(join(root, page), "utf8");

/** The recipes with their scripts, the last one first: none may need an earlier one. */
const recipes = text
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const scripts = blocksOf(page, section).filter(
      ({ language, note }) => language === "sh" && !note.startsWith("no-run"),
    );
    return [section.split("\n")[0] ?? "", scripts.map((block) => block.text)] as const;
  })
  .filter(([, scripts]) => scripts.length > 0)
  .toReversed();

let machine: FollowedWorkspace;
beforeAll(async () => {
  machine = followedWorkspace();
  expect(await machine.follow("argosy init desk")).toMatchObject({ code: 0 });
  await machine.serve();
});
afterAll(() => machine[Symbol.asyncDispose]());

/** What the answers of a recipe contain. */
const answers: Record<string, string[]> = {
  "A support desk that knows your documents": ["within 30 days"],
  "From your documents to WhatsApp": ["free from 30 euros", "http://localhost:3000", "free from 30 euros"],
  "Agents of your customers, with their documents": ["A new chain costs 25 euros."],
};

test.each(recipes)("%s: each step does what it says, without the recipes above it", async (name, scripts) => {
  let said = "";
  for (const script of scripts) {
    const followed = await machine.follow(script);
    expect(followed).toMatchObject({ code: 0 });
    said += followed.stdout;
  }
  for (const part of answers[name] ?? []) {
    expect(said).toContain(part);
    said = said.slice(said.indexOf(part) + part.length);
  }
});

test("no recipe needs a token or a key of the reader", () => {
  const scripts = recipes.flatMap(([, all]) => all).join("\n");
  expect(scripts).not.toMatch(/_TOKEN|_KEY=(?!\$\(argosy)|openssl/);
});
