import { fields } from "../attack/hostile-specs.ts";
import { expectOk, fill, KIB, MIB, type RouteRow, times, type World } from "./route-row.ts";
import { agentOf, hostileYaml, largest, tools, wideSpecs, yamlOf } from "./wide-specs.ts";

/** Requests to the translator. */
export async function translatorRoutes({ askOf }: World): Promise<RouteRow[]> {
  const v1 = askOf("translator", "/v1");
  const open = askOf("translator");
  const texts: [name: string, yaml: (round: number) => string][] = [
    ["the largest", (round) => yamlOf(agentOf("large", largest(round, 60, 10)))],
    ["128 tools of 20 fields", () => yamlOf(agentOf("tooled", { tools: tools(128, 20) }))],
    ["a long prompt", () => yamlOf(agentOf("prompted", { prompts: { system: fill("words ", 250 * KIB) } }))],
    ["an output schema", () => yamlOf(agentOf("shaped", { output_schema: fields(290, { type: "string" }) }))],
    ...wideSpecs.map(({ name, spec }): [string, () => string] => [name, () => yamlOf(agentOf("wide", spec))]),
    ...hostileYaml().map(([name, text]): [string, () => string] => [`YAML, ${name}`, () => text]),
  ];
  return [
    ...["gcp", "aws"].flatMap((provider) =>
      texts.map(
        ([name, yaml]): RouteRow => ({
          name: `translator: translate to ${provider}, ${name}`,
          ask: (round) => v1("POST", `/translate?provider=${provider}`, { body: { yaml: yaml(round) } }),
        }),
      ),
    ),
    {
      name: "translator: submit the largest",
      ask: (round) =>
        v1("POST", "/specs", { body: { yaml: yamlOf(agentOf("large", largest(round, 60, 10))) } }),
    },
    { name: "translator: read the largest", ask: () => v1("GET", "/specs/Agent/large") },
    {
      name: "translator: list 200 of the largest",
      before: async () => {
        for (let n = 0; n < 200; n++)
          await expectOk(
            v1("POST", "/specs", {
              body: {
                yaml: yamlOf(agentOf(`spec-${n}`, { prompts: { system: fill("words ", 200 * KIB) } })),
              },
            }),
          );
      },
      ask: () => v1("GET", "/specs"),
    },
    ...["gcp", "aws"].flatMap((provider): RouteRow[] => [
      {
        name: `translator: plan on ${provider}`,
        ask: () => v1("POST", `/specs/Agent/large/plan?provider=${provider}`),
      },
      {
        name: `translator: reconcile on ${provider}`,
        ask: () => v1("POST", `/specs/Agent/large/reconcile?provider=${provider}`),
      },
      {
        name: `translator: drift on ${provider}`,
        ask: () => v1("GET", `/specs/Agent/large/drift?provider=${provider}`),
      },
    ]),
    { name: "translator: accounts", ask: () => v1("GET", "/accounts") },
    { name: "translator: coverage", ask: () => v1("GET", "/coverage") },
    {
      name: "translator: wrong body of 2 MiB",
      ask: () => v1("POST", "/translate", { body: { yaml: 1, x: times(200_000, () => ({})) } }),
    },
    {
      name: "translator: a body that is text of 2 MiB",
      ask: () => v1("POST", "/translate", { body: { yaml: fill("a: b\n", MIB) } }),
    },
    { name: "translator: OpenAPI", ask: () => open("GET", "/openapi.json") },
  ];
}
