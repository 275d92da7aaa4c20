import { expect, test } from "bun:test";
import { parse } from "yaml";
import { checkManifest } from "../../../../../src/console/editor/check-manifest.ts";
import {
  agentTemplate,
  freeName,
  templateNames,
} from "../../../../../src/console/platform/tenant/agents/agent-templates.ts";
import { valueAt } from "../../../../../src/manifest/value-at.ts";

const tools = [
  { name: "datetime_now", writes: false },
  { name: "web_search", writes: false },
  { name: "http_request", writes: true },
];

test.each(templateNames)(
  "the template %s is an agent that may be saved, with tools and without",
  (template) => {
    expect(checkManifest("Agent", agentTemplate({ template, name: "agent", tools }))).toEqual([]);
    expect(checkManifest("Agent", agentTemplate({ template, name: "agent", tools: [] }))).toEqual([]);
  },
);

const toolNames = (text: string): unknown[] => {
  const tools = valueAt(parse(text), ["spec", "tools"]);
  return Array.isArray(tools) ? tools.map((tool) => valueAt(tool, ["name"])) : [];
};

test("templates name only tools that there are", () => {
  const named = (template: (typeof templateNames)[number], offered = tools) =>
    toolNames(agentTemplate({ template, name: "agent", tools: offered }));
  expect(named("tools")).toEqual(["datetime_now"]);
  expect(named("tools", [{ name: "other", writes: false }])).toEqual(["other"]);
  expect(named("approval")).toEqual(["http_request"]);
  expect(named("plain")).toEqual([]);
});

test("the model of another agent is taken over", () => {
  const model = { primary: { provider: "lab", model: "large" } };
  const text = agentTemplate({ template: "plain", name: "agent", model, tools });
  expect(text).toContain("provider: lab");
});

test("a new agent's name is free", () => {
  expect(freeName([])).toBe("agent");
  expect(freeName(["agent", "agent-2"])).toBe("agent-3");
});
