import { expect, test } from "bun:test";
import fc from "fast-check";
import { freeName as freeStudioName } from "../../src/console/builder/manifest/manifest-checks.ts";
import { freeFieldName } from "../../src/console/builder/manifest/output-fields.ts";
import { freeName as freeAgentName } from "../../src/console/platform/tenant/agents/agent-templates.ts";
import { firstFreeName } from "../../src/contracts/free-name.ts";
import { freeName as freeExitName } from "../../src/engine/orchestration/patterns/hand-off.ts";
import { apart } from "../../src/engine/tools/sql/sql-answer.ts";
import { freeSlug } from "../../src/services/cloud/orgs/create-org.ts";
import { identifiers } from "../../src/services/translator/mapping/gcp/identifiers.ts";

/** Every generator of names: it returns a name that is not among the taken ones. */
const generators: Record<string, { free: (wish: string, taken: readonly string[]) => string; most: number }> =
  {
    "slugs of orgs": { free: (wish, taken) => freeSlug(wish, new Set(taken)), most: 40 },
    "agents of a tenant": {
      free: (wish, taken) => freeAgentName(taken, wish),
      most: Number.MAX_SAFE_INTEGER,
    },
    "agents of the studio": { free: freeStudioName, most: 63 },
    "fields of an output": { free: (_, taken) => freeFieldName(taken), most: Number.MAX_SAFE_INTEGER },
    "exits of a swarm": { free: (wish, taken) => freeExitName(wish, new Set(taken)), most: 64 },
    "identifiers of a cloud": {
      free: (wish, taken) => identifiers([wish], taken)[0] ?? "",
      most: Number.MAX_SAFE_INTEGER,
    },
    "columns of a result": {
      free: (wish, taken) => apart([...new Set(taken), wish]).at(-1) ?? "",
      most: Number.MAX_SAFE_INTEGER,
    },
  };

const wishes = fc.oneof(
  fc.stringMatching(/^[a-z][a-z0-9]{1,38}$/),
  fc.constantFrom(
    "a".repeat(63),
    `${"a".repeat(38)}-2`,
    `${"a".repeat(57)}_agent`,
    "me",
    "field",
    "x-2",
    "x_2",
  ),
);

for (const [name, { free, most }] of Object.entries(generators))
  test(`${name}: after any number of names the next one is free and short enough`, () => {
    fc.assert(
      fc.property(wishes, fc.integer({ min: 0, max: 150 }), (wish, count) => {
        const asked = wish.slice(0, most);
        const taken: string[] = [];
        for (let made = 0; made <= count; made++) {
          const next = free(asked, taken);
          expect(taken).not.toContain(next);
          expect(next.length).toBeLessThanOrEqual(most);
          taken.push(next);
        }
      }),
      { numRuns: 20 },
    );
  });

test("a search whose every name is taken ends with no_free_name (409)", () => {
  const asked: string[] = [];
  const search = () =>
    firstFreeName(
      (number) => `x-${number}`,
      (name) => asked.push(name) > 0,
      7,
    );
  expect(search).toThrow("No free name is left: x-1 to x-8 are taken or reserved.");
  expect(asked).toHaveLength(8);
});
