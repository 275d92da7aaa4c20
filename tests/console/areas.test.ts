import { describe, expect, test } from "bun:test";
import { type Area, homeOf, openAreas } from "../../src/console/area.ts";
import { areas, pages } from "../../src/console/areas.ts";

test.each([
  ["the owner by the link, at the daemon", "daemon", true, true, true, "/studio"],
  ["an operator at the daemon", "daemon", true, true, false, "/platform/operator"],
  ["an operator at the platform", "platform", false, true, false, "/platform/operator"],
  ["the owner by the link, at the platform", "platform", true, true, true, "/platform/operator"],
  ["a visitor of the daemon", "daemon", true, false, false, "/studio"],
  ["a person at the platform", "platform", false, false, false, "/platform"],
  ["a person without the daemon", "daemon", false, false, false, "/platform"],
] as const)("%s begins at the right page", (_who, home, daemon, operator, local, expected) => {
  expect(homeOf(areas, home, { daemon, operator, local })).toBe(expected);
});

test.each([
  ["both services, with the daemon's permission", ["daemon", "platform"], true, ["/studio", "/platform"]],
  ["both services, without the daemon's permission", ["daemon", "platform"], false, ["/platform"]],
  ["the daemon alone", ["daemon"], true, ["/studio"]],
  ["the platform alone", ["platform"], true, ["/platform"]],
] as const)("%s: the areas that open", (_case, services, daemon, expected) => {
  const open = openAreas(areas, { services: [...services] }, { daemon, operator: false, local: false });
  expect(open.map(({ path }) => path)).toEqual([...expected]);
});

test("the gateway's area is for its operators alone", () => {
  const services = ["daemon", "platform", "gateway"];
  const session = { daemon: true, operator: true, local: false };
  const paths = (gateway?: true) =>
    openAreas(areas, { services }, { ...session, ...(gateway && { gateway }) }).map(({ path }) => path);
  expect(paths()).toEqual(["/studio", "/platform"]);
  expect(paths(true)).toEqual(["/studio", "/platform", "/gateway"]);
  expect(homeOf(areas, "gateway", { daemon: false, operator: false, local: false, gateway: true })).toBe(
    "/gateway",
  );
});

test("the cloud's area is for everybody, and the translator's for sessions that may use it", () => {
  const services = ["cloud", "translator"];
  const session = { daemon: true, operator: false, local: false };
  const paths = (translator?: true) =>
    openAreas(areas, { services }, { ...session, ...(translator && { translator }) }).map(({ path }) => path);
  expect(paths()).toEqual(["/cloud"]);
  expect(paths(true)).toEqual(["/cloud", "/translator"]);
});

test("a person with a password of an operator's finds no page of the platform but the one that changes it", () => {
  const person = { id: "ada", email: "ada@example.com", display_name: "Ada" };
  const session = { daemon: false, operator: false, local: false };
  const open = (expired?: true) =>
    openAreas(
      areas,
      { services: ["platform"] },
      { ...session, person: { ...person, ...(expired && { password_expired: expired }) } },
    );
  expect(open()[0]?.pages.length).toBeGreaterThan(0);
  const [closed] = open(true);
  expect(closed).toMatchObject({ path: "/platform", pages: [], commands: [] });
  expect(closed?.NavHead).toBeUndefined();
});

describe("every area", () => {
  test.each(areas.map((area) => [area.path, area] as const))(
    "%s keeps its pages below its path",
    (path, area) => {
      const outside = area.pages.filter((page) => page.path !== path && !page.path.startsWith(`${path}/`));
      expect(outside.map((page) => page.path)).toEqual([]);
    },
  );

  test("has a path of its own, and no page is in two areas", () => {
    const paths = [...areas.map(({ path }) => path)];
    expect(new Set(paths).size).toBe(paths.length);
    expect(new Set(pages.map(({ path }) => path)).size).toBe(pages.length);
  });

  test("starts by its own rules, also one that is added", () => {
    const added: Area = {
      path: "/relay",
      title: "Relay",
      icon: "send",
      service: "platform",
      pages: [],
      isOpenTo: () => true,
      startOf: ({ operator }) => (operator ? "/relay/queue" : undefined),
    };
    const daemonOnly = areas.filter(({ service }) => service === "daemon");
    const session = { daemon: false, local: false };
    expect(homeOf([...daemonOnly, added], "daemon", { ...session, operator: true })).toBe("/relay/queue");
    expect(homeOf([...daemonOnly, added], "daemon", { ...session, operator: false })).toBe("/relay");
  });
});
