import { agentOf, fill, hostileYaml, KIB, largest, MIB, times, wideSpecs, yamlOf } from "../hostile.ts";
import { expectOk, posts, type RouteRow, reads, type World } from "./route-row.ts";

/** Requests to the translator. */
export async function translatorRoutes({ askOf }: World): Promise<RouteRow[]> {
  const v1 = askOf("translator", "/v1");
  const large = (round: number) => ({ yaml: yamlOf(agentOf("large", largest(round, 60, 10))) });
  const texts: [name: string, body: (round: number) => object][] = [
    ["the largest", large],
    ...wideSpecs.map(([name, spec]): [string, () => object] => [
      name,
      () => ({ yaml: yamlOf(agentOf("wide", spec)) }),
    ]),
    ...hostileYaml().map(([name, yaml]): [string, () => object] => [`YAML, ${name}`, () => ({ yaml })]),
  ];
  const on = (provider: string): RouteRow[] => [
    ...texts.map(([name, body]) =>
      posts(`translator: translate to ${provider}, ${name}`, v1, `/translate?provider=${provider}`, body),
    ),
    posts(`translator: plan on ${provider}`, v1, `/specs/Agent/large/plan?provider=${provider}`, undefined, {
      before: () => v1("POST", "/specs", { body: large(0) }),
    }),
    posts(
      `translator: reconcile on ${provider}`,
      v1,
      `/specs/Agent/large/reconcile?provider=${provider}`,
      undefined,
    ),
    ...reads("translator", v1, [[`drift on ${provider}`, `/specs/Agent/large/drift?provider=${provider}`]]),
  ];
  const addSpecs = async () => {
    const prompts = { system: fill("words ", 200 * KIB) };
    for (let n = 0; n < 200; n++)
      await expectOk(v1("POST", "/specs", { body: { yaml: yamlOf(agentOf(`spec-${n}`, { prompts })) } }));
  };
  const [list, ...others] = reads("translator", v1, [
    ["list 200 of the largest", "/specs"],
    ["read the largest", "/specs/Agent/large"],
    ["accounts", "/accounts"],
    ["coverage", "/coverage"],
  ]);
  return [
    posts("translator: submit the largest", v1, "/specs", large),
    ...on("gcp"),
    ...on("aws"),
    ...(list === undefined ? [] : [{ ...list, before: addSpecs }]),
    ...others,
    posts("translator: wrong body of 2 MiB", v1, "/translate", { yaml: 1, x: times(200_000, () => ({})) }),
    posts("translator: a body that is text of 2 MiB", v1, "/translate", { yaml: fill("a: b\n", MIB) }),
    ...reads("translator", askOf("translator"), [["OpenAPI", "/openapi.json"]]),
  ];
}
