import { describe, expect, test } from "bun:test";
import { readAccess } from "../../../src/compose/settings/access-settings.ts";
import { SettingReader } from "../../../src/compose/settings/setting.ts";
import { createHostRule } from "../../../src/http/front-door/host-rule.ts";

function readHosts(value: string): string[] {
  const reader = new SettingReader({ ARGOSY_ALLOWED_HOSTS: value });
  const { allowedHosts } = readAccess(reader, undefined);
  reader.finish();
  return allowedHosts;
}

describe("an allowed host", () => {
  test.each([
    ["argosy.example.com", "argosy.example.com", "argosy.example.com:8000"],
    ["Argosy.Example.com", "argosy.example.com"],
    ["argosy.example.com:8443", "argosy.example.com:8443"],
    ["münchen.example", "xn--mnchen-3ya.example:8000"],
    ["10.0.0.1", "10.0.0.1:8000"],
    ["fd00::5", "[fd00::5]:8000", "[fd00::5]"],
    ["FD00:0::5", "[fd00::5]:8000"],
    ["[fd00::5]", "[fd00::5]:8000"],
    ["[fd00::5]:8000", "[fd00::5]:8000"],
  ] as [value: string, ...sent: string[]][])("matches what callers send: %s", (value, ...sent) => {
    const isOwn = createHostRule(readHosts(value));
    for (const host of sent) expect(isOwn(host)).toBe(true);
    expect(isOwn("other.example")).toBe(false);
  });

  test.each([
    ["https://argosy.example.com", "write argosy.example.com."],
    ["http://argosy.example.com:8443/app", "write argosy.example.com:8443."],
    ["argosy.example.com/app", "write argosy.example.com."],
    ["ada@argosy.example.com", "write argosy.example.com."],
    ["*", "write each name in full"],
    ["*.example.org", "write each name in full"],
    [".example.org", "write each name in full"],
    ["a.example,*.example.org", 'has "*.example.org"'],
    ["argosy example", "is not a host"],
    ["argosy.example:99999", "is not a host"],
    ["argosy.example:0", "is not a host"],
    ["999.1.1.1", "is not a host"],
    ["[fd00::5", "is not a host"],
  ])("that no caller can send is refused: %s", (value, says) => {
    expect(() => readHosts(value)).toThrow(says);
    expect(() => readHosts(value)).toThrow("ARGOSY_ALLOWED_HOSTS has ");
  });

  test("is refused without showing a password", () => {
    expect(() => readHosts("https://ada:hidden-canary@argosy.example")).not.toThrow("hidden-canary");
  });
});
