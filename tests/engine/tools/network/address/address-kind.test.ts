import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type NetworkAddressKind,
  readAddress,
} from "../../../../../src/engine/tools/network/address/address-kind.ts";

const addresses: Record<NetworkAddressKind, string[]> = {
  public: [
    ...[
      "1.1.1.1",
      "8.8.8.8",
      "9.255.255.255",
      "11.0.0.1",
      "100.63.255.255",
      "100.128.0.1",
      "126.255.255.255",
    ],
    ...["128.0.0.1", "169.253.255.255", "169.255.0.1", "172.15.255.255", "172.32.0.1", "192.167.255.255"],
    ...["192.169.0.1", "198.17.255.255", "198.20.0.1", "223.255.255.255"],
    ...["2606:4700:4700::1111", "2a00:1450:4001:81b::200e", "2001:4860:4860::8888", "::ffff:8.8.8.8"],
  ],
  loopback: ["127.0.0.1", "127.255.255.254", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", "::ffff:0.0.0.0"],
  private: [
    ...["10.0.0.0", "10.255.255.255", "100.64.0.1", "100.127.255.255", "172.16.0.1", "172.31.255.255"],
    ...["192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255"],
    ...["198.51.100.1", "203.0.113.1", "240.0.0.1", "::ffff:10.0.0.1"],
    ...["fc00::1", "fdff::1", "fec0::1", "2001:db8::1", "3fff::1"],
  ],
  forbidden: [
    ...["0.0.0.1", "0.255.255.255", "169.254.0.1", "169.254.169.254", "169.254.170.2", "224.0.0.1"],
    ...["239.255.255.250", "255.255.255.255", "100.100.100.200", "192.0.0.192", "168.63.129.16"],
    ...[
      "fe80::1",
      "febf::1",
      "ff02::1",
      "ff0e::1",
      "::ffff:169.254.169.254",
      "fd00:ec2::254",
      "fd20:ce::254",
    ],
    // With an embedded IPv4 address: compatible, translated, NAT64, 6to4, Teredo, ISATAP.
    ...["::7f00:1", "::a00:1", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::8.8.8.8"],
    ...["64:ff9b:1::a9fe:a9fe", "2002:7f00:1::", "2002:808:808::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"],
    ...["2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:7f00:1"],
    // Unassigned, or for a special purpose.
    ...[
      "100::1",
      "5f00::1",
      "4000::1",
      "8000::1",
      "1::1",
      "2001:2::1",
      "2001:10::1",
      "2001:1ff::1",
      "2620:4f:8000::1",
    ],
  ],
};

for (const [kind, texts] of Object.entries(addresses)) {
  test.each(texts)(`${kind}: %s`, (text) => {
    expect(readAddress(text)?.kind).toBe(kind as NetworkAddressKind);
  });
}

describe("an address outside its one canonical spelling", () => {
  test.each([
    ...[
      "",
      "localhost",
      "::127.0.0.1",
      "::8.8.8.8",
      "1.2.3",
      "0x7f.0.0.1",
      "0177.0.0.1",
      "2130706433",
      "127.0.0.1.",
      "1.2.3.4.5",
      "256.1.1.1",
    ],
    ...[
      "01.2.3.4",
      " 127.0.0.1",
      "127.0.0.1 ",
      "fe80::1%eth0",
      "::1%0",
      "[::1]",
      ":::1",
      "1::2::3",
      "12345::1",
      "::1/128",
    ],
  ])("%j", (text) => {
    expect(readAddress(text)).toBeUndefined();
  });
});

test("an address is connected to in one spelling, an IPv4 address in IPv6 as what it is", () => {
  const spelled = ["0:0:0:0:0:0:0:1", "::FFFF:7F00:1", "0.0.0.0", "::", "2606:4700:4700:0:0:0:0:1111"];
  expect(spelled.map((text) => readAddress(text)?.text)).toEqual([
    "::1",
    "127.0.0.1",
    "127.0.0.1",
    "::1",
    "2606:4700:4700::1111",
  ]);
});

test("no IPv4 address is public that an independent reading of the registry calls special", () => {
  const special = (a: number, b: number, c: number) =>
    [0, 10, 127].includes(a) ||
    a >= 224 ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && (b === 168 || (b === 0 && (c === 0 || c === 2)) || (b === 88 && c === 99))) ||
    (a === 198 && (b === 18 || b === 19 || (b === 51 && c === 100))) ||
    (a === 203 && b === 0 && c === 113);
  const octet = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(octet, octet, octet, octet, (a, b, c, d) => {
      const isPublic = readAddress(`${a}.${b}.${c}.${d}`)?.kind === "public";
      const mapped = readAddress(`::ffff:${a}.${b}.${c}.${d}`)?.kind === "public";
      expect(mapped).toBe(isPublic);
      if (special(a, b, c)) expect(isPublic).toBe(false);
    }),
    { numRuns: 20_000 },
  );
});
