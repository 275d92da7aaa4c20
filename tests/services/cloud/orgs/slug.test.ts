import { expect, test } from "bun:test";
import fc from "fast-check";
import { freeSlug, isReserved, slugOf } from "../../../../src/services/cloud/orgs/create-org.ts";
import { startCloud } from "../../../support/cloud.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

test.each([
  ["ada@example.com", "ada"],
  ["Ada.Lovelace+work@example.com", "ada-lovelace-work"],
  ["élan@example.com", "elan"],
  ["Jürgen.Groß@example.com", "jurgen-gro"],
  ["x@example.com", "org-x"],
  ["日本@example.com", "org"],
  [`${"a".repeat(39)}.b@example.com`, "a".repeat(39)],
  ["e-01234567-x@example.com", "org-e-01234567-x"],
  ["E.01234567@example.com", "org-e-01234567"],
  ["e-0123456-x@example.com", "e-0123456-x"],
])("%s begins the org %s", (email, slug) => {
  expect(slugOf(email)).toBe(slug);
});

test("a taken or reserved slug gets a number, within the length", () => {
  expect(freeSlug("ada", new Set(["ada", "ada-2"]))).toBe("ada-3");
  expect(freeSlug("me", new Set())).toBe("me-2");
  const longest = "a".repeat(40);
  expect(freeSlug(longest, new Set([longest]))).toBe(`${"a".repeat(38)}-2`);
});

/** Local parts of addresses: any text, and texts near every reserved form. */
const localPart = fc.oneof(
  fc.string({ unit: "binary", maxLength: 64 }),
  fc.constantFrom("me", "ME", "m.e", "me-2", "--me--"),
  fc
    .tuple(
      fc.constantFrom("e-", "E.", "e_", "é-", "e--"),
      fc.string({ unit: fc.constantFrom(..."0123456789abcdefABCDEF"), minLength: 7, maxLength: 40 }),
      fc.constantFrom("", "-", "-x", ".2", "-0123-4567"),
    )
    .map((parts) => parts.join("")),
);

test("every local part has a free slug of 2 to 40 letters, digits and hyphens that is not reserved", () => {
  fc.assert(
    fc.property(localPart, fc.integer({ min: 0, max: 120 }), (local, earlier) => {
      const taken = new Set<string>();
      for (let count = 0; count <= earlier; count++) {
        const slug = freeSlug(slugOf(`${local}@x.org`), taken);
        expect(slug).toMatch(/^[a-z0-9][a-z0-9-]{0,38}[a-z0-9]$/);
        expect([isReserved(slug), taken.has(slug)]).toEqual([false, false]);
        taken.add(slug);
      }
    }),
  );
});

test("reserved are the route of one's own orgs and the namespaces of evals", () => {
  expect(["me", "e-01234567-89ab-7cde-8123-456789abcdef", "e-01234567"].map(isReserved)).toEqual([
    true,
    true,
    true,
  ]);
});

onEachEngine("slugs of orgs", (engine) => {
  test("an address of the form of an eval's namespace signs in", async () => {
    await using cloud = await startCloud(engine);
    expect((await cloud.login("e-01234567-x@x.org")).slug).toBe("org-e-01234567-x");
    expect((await cloud.login("e-01234567-x@y.org")).slug).toBe("org-e-01234567-x-2");
  });

  test("twenty people with one local part who sign in at once get different slugs", async () => {
    await using cloud = await startCloud(engine);
    const people = await Promise.all(
      Array.from({ length: 20 }, (_, number) => cloud.login(`Ada@host${number}.org`)),
    );
    expect(new Set(people.map(({ slug }) => slug)).size).toBe(20);
  });
});
