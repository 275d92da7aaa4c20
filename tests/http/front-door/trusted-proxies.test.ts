import { expect, test } from "bun:test";
import {
  isTrusted,
  readIpAddress,
  readTrustedProxies,
} from "../../../src/http/front-door/trusted-proxies.ts";

const trusts = (entries: string[], address: string) => {
  const { proxies, faults } = readTrustedProxies(entries);
  expect(faults).toEqual([]);
  const read = readIpAddress(address);
  return read !== undefined && isTrusted(proxies, read);
};

test.each<[string, string, boolean]>([
  ["192.0.2.1", "192.0.2.1", true],
  ["192.0.2.1", "::ffff:192.0.2.1", true],
  ["::ffff:192.0.2.1", "192.0.2.1", true],
  ["192.0.2.1", "192.0.2.2", false],
  ["10.0.0.0/8", "10.255.0.1", true],
  ["10.0.0.0/8", "11.0.0.1", false],
  ["::1", "0:0:0:0:0:0:0:1", true],
  ["::1", "127.0.0.1", false],
  ["2400:cb00::/32", "2400:cb00:1::1", true],
  ["2400:cb00::/32", "2400:cb01::1", false],
])("%s trusts %s: %p", (entry, address, isOne) => {
  expect(trusts([entry], address)).toBe(isOne);
});

test.each([
  ["proxy.example", "is not an address or network such as 10.1.0.0/16"],
  ["10.0.0", "is not an address or network such as 10.1.0.0/16"],
  ["010.0.0.1", "is not an address or network such as 10.1.0.0/16"],
  ["10.0.0.0/33", "is not an address or network such as 10.1.0.0/16"],
  ["10.0.0.0/", "is not an address or network such as 10.1.0.0/16"],
  ["10.0.0.1:80", "is not an address or network such as 10.1.0.0/16"],
  ["fe80::1%eth0", "is not an address or network such as 10.1.0.0/16"],
  ["::10.0.0.1", "is not an address or network such as 10.1.0.0/16"],
  ["*", "is not an address or network such as 10.1.0.0/16"],
  ["0.0.0.0/0", "is too wide: at least /8"],
  ["::/0", "is too wide: at least /7"],
  ["::ffff:10.0.0.0/104", "must be written as an IPv4 network"],
])("%s is refused: it %s", (entry, message) => {
  expect(readTrustedProxies(["10.0.0.0/8", entry]).faults).toEqual([{ entry, message }]);
});
