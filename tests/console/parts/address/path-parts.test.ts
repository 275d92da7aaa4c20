import { expect, test } from "bun:test";
import { pathParts } from "../../../../src/console/parts/address/path-parts.ts";
import { memoryPaths } from "../../../../src/console/studio/memory/memory-paths.ts";

for (const session of ["plain", "a/b", "a%2Fb", "100%", "?#&", "..", "ünï 😀", "<b>"]) {
  test(`a session named ${session} is found again in its address`, () => {
    const { pathname } = new URL(memoryPaths.session("helper", session), "http://127.0.0.1");
    const parts = pathParts(pathname);
    // A browser removes `..` from an address, however it is written.
    expect(parts).toEqual(
      session === ".." ? ["studio", "memory", ""] : ["studio", "memory", "helper", session],
    );
  });
}

test("a part that can't be decoded stays", () => expect(pathParts("/a/%zz")).toEqual(["a", "%zz"]));
