import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { RunnableAgent } from "../../../../src/engine/agents/runnable-agent.ts";
import type { AgentManifest } from "../../../../src/manifest/agent/agent.ts";
import { beginLife } from "../../../../src/services/daemon/agents/agent-life.ts";
import type { AgentSource, AgentVersion } from "../../../../src/services/daemon/agents/agent-version.ts";
import { resolveSources, type Served } from "../../../../src/services/daemon/agents/resolve-sources.ts";

/** A version that leads to other agents; its text is its name and number. */
function versionOf(name: string, leadsTo: readonly string[], number = 1): AgentVersion {
  const text = `${name}${number}`;
  const manifest = { metadata: { name }, leadsTo } as unknown as AgentManifest;
  return { name, text, manifest, agent: { name: text } as RunnableAgent };
}

function sourceOf(key: string, version: AgentVersion | undefined, name = version?.name ?? key): AgentSource {
  const fault = version === undefined ? { message: `${key} is broken`, problems: [] } : undefined;
  return {
    key,
    file: key,
    sender: "file",
    name,
    text: version?.text,
    manifest: version?.manifest,
    version,
    fault,
    life: beginLife(),
  };
}

const leadsTo = (manifest: AgentManifest) => (manifest as unknown as { leadsTo: string[] }).leadsTo;

/** Reports links to a missing agent, and cycles. */
function check(manifests: readonly AgentManifest[]) {
  const byName = new Map(manifests.map((manifest) => [manifest.metadata.name, manifest]));
  const comesBack = (from: string) => {
    const seen = new Set<string>();
    const walk = (name: string): boolean => {
      const manifest = byName.get(name);
      return (manifest === undefined ? [] : leadsTo(manifest)).some((next) => {
        if (next === from) return true;
        if (seen.has(next)) return false;
        seen.add(next);
        return walk(next);
      });
    };
    return walk(from);
  };
  return manifests.flatMap((manifest) => {
    const { name } = manifest.metadata;
    const missing = leadsTo(manifest).filter((target) => !byName.has(target));
    const messages = missing.map((target) => `is missing: ${target}`);
    if (comesBack(name)) messages.push("leads in a circle");
    return messages.map((message) => ({ agent: name, problem: { path: "tools", message } }));
  });
}

/** Returns the active version under each name: its text, or `-` with the fault. */
function shown(sources: readonly AgentSource[], before: Served = new Map()): Record<string, string> {
  return Object.fromEntries(
    resolveSources(sources, before, check).entries.map(({ name, agent, fault }) => [
      name,
      [agent?.name ?? "-", fault?.message].filter(Boolean).join(" "),
    ]),
  );
}

describe("agents that lead to each other", () => {
  test("all run when everybody is there", () => {
    expect(shown([sourceOf("a", versionOf("a", ["b"])), sourceOf("b", versionOf("b", []))])).toEqual({
      a: "a1",
      b: "b1",
    });
  });

  test("an agent that refers to a missing one fails, and so do those that refer to it", () => {
    const sources = ["a", "b", "c"].map((name, at) =>
      sourceOf(name, versionOf(name, [["b"], ["c"], ["gone"]][at] ?? [])),
    );
    expect(shown(sources)).toEqual({
      a: "- a: tools is missing: b",
      b: "- b: tools is missing: c",
      c: "- c: tools is missing: gone",
    });
  });

  test("a change that leads nowhere keeps the version before, and the others with it", () => {
    const served = new Map([
      ["a", versionOf("a", [], 1)],
      ["b", versionOf("b", ["a"], 1)],
    ]);
    const sources = [
      sourceOf("a", versionOf("a", ["gone"], 2)),
      sourceOf("b", served.get("b") as AgentVersion),
    ];
    expect(shown(sources, served)).toEqual({ a: "a1 a: tools is missing: gone", b: "b1" });
  });

  test("a change that closes a circle is blamed, not who stood there before", () => {
    const served = new Map([
      ["a", versionOf("a", [], 1)],
      ["b", versionOf("b", ["a"], 1)],
    ]);
    const sources = [sourceOf("a", versionOf("a", ["b"], 2)), sourceOf("b", served.get("b") as AgentVersion)];
    expect(shown(sources, served)).toEqual({ a: "a1 a: tools leads in a circle", b: "b1" });
  });

  test("the version before does not serve when it leads nowhere itself by now", () => {
    const served = new Map([["a", versionOf("a", ["b"], 1)]]);
    expect(shown([sourceOf("a", versionOf("a", ["gone"], 2))], served).a).toStartWith("- ");
  });

  test("who was refused because of a change that is refused itself is taken after all", () => {
    const served = new Map([
      ["a", versionOf("a", [], 1)],
      ["b", versionOf("b", [], 1)],
    ]);
    const sources = [sourceOf("b", versionOf("b", ["a"], 2)), sourceOf("a", versionOf("a", ["b"], 2))];
    expect(shown(sources, served)).toEqual({ b: "b2", a: "a1 a: tools leads in a circle" });
  });
});

describe("two sources of one name", () => {
  test.each([
    [
      "the first that can run serves",
      [versionOf("x", []), versionOf("x", [], 2)],
      "x1 two also has the name x",
    ],
    ["a broken one stands in nobody's way", [undefined, versionOf("x", [], 2)], "x2 one is broken"],
    ["nor does one that leads nowhere", [versionOf("x", ["gone"]), versionOf("x", [], 2)], "x2 one: tools"],
    ["with both broken the first says why", [undefined, undefined], "- one is broken"],
  ])("%s", (_what, [first, second], expected) => {
    const sources = [sourceOf("one", first, "x"), sourceOf("two", second, "x")];
    expect(shown(sources).x).toStartWith(expected);
  });
});

test("after any changes in any order: what serves has no problem, and settling again changes nothing", () => {
  const names = ["a", "b", "c", "d"] as const;
  const change = fc.record({
    key: fc.constantFrom("1", "2", "3", "4", "5"),
    name: fc.constantFrom(...names),
    leadsTo: fc.uniqueArray(fc.constantFrom(...names, "gone"), { maxLength: 2 }),
    what: fc.constantFrom("good", "good", "good", "broken", "removed"),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 25 }), (changes) => {
      const sources = new Map<string, AgentSource>();
      let served: Served = new Map();
      for (const [number, { key, name, leadsTo: targets, what }] of changes.entries()) {
        if (what === "removed") sources.delete(key);
        else
          sources.set(
            key,
            sourceOf(key, what === "broken" ? undefined : versionOf(name, targets, number), name),
          );
        const settled = resolveSources([...sources.values()], served, check);
        const running = settled.entries.flatMap(({ agent, manifest }) => (agent && manifest) ?? []);
        expect(check(running)).toEqual([]);
        expect(new Set(settled.entries.map((entry) => entry.name)).size).toBe(settled.entries.length);
        const again = resolveSources([...sources.values()], settled.served, check);
        expect(again.entries.map(({ name: shownName, agent }) => [shownName, agent])).toEqual(
          settled.entries.map(({ name: shownName, agent }) => [shownName, agent]),
        );
        served = settled.served;
      }
    }),
    { numRuns: 300 },
  );
});
